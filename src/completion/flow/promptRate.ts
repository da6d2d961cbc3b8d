import type { WireMetrics } from '../../types/ollama';
import { conservativeTokenLength, measuredTokenLength } from '../../types/tokenLength';
import { commonLength } from '../text/commonLength';
import { median } from './typingRhythm';

/** Maximum and minimum number of tokens in a prompt. */
const maxTokens = 2048;
const minTokens = 384;
const remembered = 5;
/** Minimum number of processed tokens for a measurement. */
const minProcessed = 256;

/** Measures prompt processing speed and characters per token from the metrics of the server. */
export class PromptRate {
  private readonly rates: number[] = [];
  private chars: number | undefined;
  private tokens = maxTokens;
  private lastPrompt = '';

  /** Records the metrics of the server for a prompt. */
  note(prompt: string, { prompt_eval_count: count = 0, prompt_eval_duration: duration = 0 }: WireMetrics): void {
    const before = this.lastPrompt;
    this.lastPrompt = prompt;
    if (count < 32 || prompt.length < 100) return;
    const measured = measuredTokenLength(prompt.length, count);
    const charsPerToken = Math.min(4.5, Math.max(2, Math.round(measured * 4) / 4));
    // A changed estimate moves the start of prompts and invalidates the prompt cache. Therefore small differences are ignored.
    if (this.chars === undefined || Math.abs(this.chars - charsPerToken) > 0.5) this.chars = charsPerToken;
    const read = count * (1 - commonLength(before, prompt) / prompt.length);
    // With few tokens, most of the time is overhead.
    if (read < minProcessed || duration <= 0) return;
    this.rates.push(read / (duration / 1e9));
    if (this.rates.length > remembered) this.rates.shift();
    const budget = Math.max(minTokens, Math.min(maxTokens, Math.floor((median(this.rates) ?? maxTokens) / 128) * 128));
    // A changed budget also moves the start of prompts.
    if (Math.abs(budget - this.tokens) > this.tokens / 4) this.tokens = budget;
  }

  get charsPerToken(): number {
    return this.chars ?? conservativeTokenLength;
  }

  /**
   * Maximum number of tokens in a prompt. Based on the tokens that
   * the model processes per second, at most 2,048, in steps of 128.
   */
  get budget(): number {
    return this.tokens;
  }
}
