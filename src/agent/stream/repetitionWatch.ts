import { NearRepetition } from './nearRepetition';

/** Minimum characters of exact repetition that count as a loop. */
const minRepeated = 3000;
/** Maximum length of a repeated passage, so that `minRepeated` contains at least ten repetitions. */
const maxRound = 300;
const checkEvery = 500;
const probeLength = 40;

/** Detects a model that repeats the same passage or nearly the same sentences in its text or thinking. */
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
    this.tail = (this.tail + text).slice(-(minRepeated + maxRound));
    this.unchecked += text.length;
    if (this.found || this.unchecked < checkEvery) return;
    this.unchecked = 0;
    this.found = isRound(this.tail);
  }

  /** Discards the previous text, because another part begins. */
  startOver(): void {
    this.tail = '';
    this.unchecked = 0;
    this.near.startOver();
  }
}

function isRound(text: string): boolean {
  const end = text.length;
  if (end < minRepeated + maxRound) return false;
  const probe = text.slice(-probeLength);
  const last = end - probeLength;
  for (let at = text.lastIndexOf(probe, last - 1); at >= last - maxRound; at = text.lastIndexOf(probe, at - 1)) {
    if (isSameEvery(last - at, text)) return true;
    if (at === 0) return false;
  }
  return false;
}

function isSameEvery(round: number, text: string): boolean {
  for (let at = text.length - minRepeated; at < text.length; at += 1) if (text[at] !== text[at - round]) return false;
  return true;
}
