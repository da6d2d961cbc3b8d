import type { WireMetrics } from '../../types/ollama';
import { carefulTokenLength, measuredTokenLength } from '../../types/tokenLength';
import { commonLength } from '../text/commonLength';
import { middleOf } from './typingRhythm';

/** Tokens of a prompt at the most, and what every model is given. */
const most = 2048;
const least = 384;
const remembered = 5;
/** Tokens that have to be read for a rate. */
const leastRead = 256;

/** Measures how fast a model reads, and how long its tokens are, from what the server tells with each answer. */
export class ReadingRate {
  private readonly rates: number[] = [];
  private chars: number | undefined;
  private tokens = most;
  private lastPrompt = '';

  /** Notes the figures of an answer to a prompt. */
  note(prompt: string, { prompt_eval_count: count = 0, prompt_eval_duration: duration = 0 }: WireMetrics): void {
    const before = this.lastPrompt;
    this.lastPrompt = prompt;
    if (count < 32 || prompt.length < 100) return;
    const measured = measuredTokenLength(prompt.length, count);
    const charsPerToken = Math.min(4.5, Math.max(2, Math.round(measured * 4) / 4));
    // Another estimate moves where prompts begin, so a small difference is none.
    if (this.chars === undefined || Math.abs(this.chars - charsPerToken) > 0.5) this.chars = charsPerToken;
    const read = count * (1 - commonLength(before, prompt) / prompt.length);
    // Of a few tokens most of the time is none of reading.
    if (read < leastRead || duration <= 0) return;
    this.rates.push(read / (duration / 1e9));
    if (this.rates.length > remembered) this.rates.shift();
    const budget = Math.max(least, Math.min(most, Math.floor((middleOf(this.rates) ?? most) / 128) * 128));
    // Another budget moves where prompts begin, so a small difference is none.
    if (Math.abs(budget - this.tokens) > this.tokens / 4) this.tokens = budget;
  }

  get charsPerToken(): number {
    return this.chars ?? carefulTokenLength;
  }

  /** Tokens that the model reads in a second, at most 2,048, in steps of 128. */
  get budget(): number {
    return this.tokens;
  }
}
