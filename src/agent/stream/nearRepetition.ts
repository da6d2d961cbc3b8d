import { similarity, words } from '../../utils/text/similarity';

/** Minimum number of consecutive sentences that must nearly repeat a recent sentence. */
const minSentences = 24;
/** Minimum number of characters in these sentences. */
const minCharacters = 3500;
/** Number of previous sentences to compare. */
const lookBack = 8;
/** Minimum share of common words. */
const minSimilarity = 0.8;
/** Minimum number of words in a compared sentence. */
const minWords = 4;

/** Detects prose that repeats itself with small variations. Ignores code and tables, which may repeat for good reasons. */
export class NearRepetition {
  private line = '';
  private isInCode = false;
  private readonly last: Set<string>[] = [];
  private sentences = 0;
  private characters = 0;

  get isRepeating(): boolean {
    return this.sentences >= minSentences && this.characters >= minCharacters;
  }

  follow(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.read(line);
    // Long text without line breaks is split at sentence ends.
    const end = this.line.search(/[.!?]\s+\S*$/);
    if (end >= 0 && this.line.length > 400) {
      this.read(this.line.slice(0, end + 1));
      this.line = this.line.slice(end + 1);
    }
  }

  startOver(): void {
    this.line = '';
    this.isInCode = false;
    this.last.length = this.sentences = this.characters = 0;
  }

  private read(line: string): void {
    if (/^\s*(?:```|~~~)/.test(line)) this.isInCode = !this.isInCode;
    else if (!this.isInCode && !/^(?:\s*[|<{}[\]]| {4}|\t)/.test(line))
      for (const sentence of line.split(/(?<=[.!?])\s+/)) this.compare(sentence);
  }

  private compare(sentence: string): void {
    const said = words(sentence);
    if (said.size < minWords) return;
    const isKnown = this.last.some((before) => similarity(before, said) >= minSimilarity);
    this.sentences = isKnown ? this.sentences + 1 : 0;
    this.characters = isKnown ? this.characters + sentence.length : 0;
    this.last.push(said);
    if (this.last.length > lookBack) this.last.shift();
  }
}
