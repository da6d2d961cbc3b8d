import { NearRepetition } from './nearRepetition';

/** Number of characters of the same words over and over at which a text is no answer any more. */
const enough = 3000;
/** A round of words may be this long, so that enough of them are ten rounds at least. */
const longestRound = 300;
const checkEvery = 500;
const probeLength = 40;

/** Notices a model that writes the same words, or nearly the same sentences, over and over, in its text or in its thinking. */
export class RepetitionWatch {
  private tail = '';
  private unchecked = 0;
  private found = false;
  private readonly near = new NearRepetition();

  get isRepeating(): boolean {
    return this.found;
  }

  follow(text: string): void {
    this.near.follow(text);
    this.found ||= this.near.isRepeating;
    this.tail = (this.tail + text).slice(-(enough + longestRound));
    this.unchecked += text.length;
    if (this.found || this.unchecked < checkEvery) return;
    this.unchecked = 0;
    this.found = isRound(this.tail);
  }

  /** Forgets the text so far, as something else begins. */
  startOver(): void {
    this.tail = '';
    this.unchecked = 0;
    this.near.startOver();
  }
}

function isRound(text: string): boolean {
  const end = text.length;
  if (end < enough + longestRound) return false;
  const probe = text.slice(-probeLength);
  const last = end - probeLength;
  for (let at = text.lastIndexOf(probe, last - 1); at >= last - longestRound; at = text.lastIndexOf(probe, at - 1)) {
    if (isSameEvery(last - at, text)) return true;
    if (at === 0) return false;
  }
  return false;
}

function isSameEvery(round: number, text: string): boolean {
  for (let at = text.length - enough; at < text.length; at += 1) if (text[at] !== text[at - round]) return false;
  return true;
}
