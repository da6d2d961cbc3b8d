import { similarity, words } from '../../utils/text/similarity';

/** Sentences in a row that each say nearly what one of the last few said, and characters of them, at which a text is no answer any more. */
const [enoughSentences, enoughCharacters] = [24, 3500];
/** Number of sentences before one that it is compared with, and the share of words that they have in common then. */
const [lookBack, alike] = [8, 0.8];
/** Words below which a sentence says too little to be compared. */
const fewestWords = 4;

/** Notices prose that goes in circles although no two rounds are the same to the letter. Code and tables are left alone: they repeat themselves for good reason. */
export class NearRepetition {
  private line = '';
  private isInCode = false;
  private readonly last: Set<string>[] = [];
  private sentences = 0;
  private characters = 0;

  get isRepeating(): boolean {
    return this.sentences >= enoughSentences && this.characters >= enoughCharacters;
  }

  follow(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.read(line);
    // A text without a line break is read at its ends of sentences.
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
    if (said.size < fewestWords) return;
    const isKnown = this.last.some((before) => similarity(before, said) >= alike);
    this.sentences = isKnown ? this.sentences + 1 : 0;
    this.characters = isKnown ? this.characters + sentence.length : 0;
    this.last.push(said);
    if (this.last.length > lookBack) this.last.shift();
  }
}
