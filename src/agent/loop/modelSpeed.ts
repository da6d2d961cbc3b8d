import { imageLength } from '../../protocol/context/imageRef';
import type { AnswerStats } from '../../protocol/entries';
import type { ChatRequest } from '../../types/ollama';

/** Waiting time in milliseconds for a model without measurements. */
const unknownPatience = 10_000;
const minPatience = 2000;
/** Factor for long conversations and busy machines, which slow down prompt processing. */
const slack = 1.5;
/** Minimum characters for a measurement. With fewer, the fixed cost of a request dominates. */
const minCharacters = 1000;

interface Known {
  /** Last prompt. The server does not process the beginning that it shares with the next prompt again. */
  text: string;
  /** Characters per millisecond. */
  speed: number | null;
  /** Tokens per millisecond for a prompt that was not in the prompt cache. */
  uncachedSpeed: number | null;
}

export interface PromptEstimate {
  /**
   * Share of the prompt, from 0 to 1, that the server must process.
   * This is the text after the common prefix with the last prompt.
   */
  readonly newShare: number;
  /** Expected time in milliseconds to process the prompt, or null without measurements. */
  readonly expectedMs: number | null;
  /** Time in milliseconds by which the prompt is usually processed. */
  readonly patienceMs: number;
  /**
   * Records the server's measurements of the answer. Returns the share of the prompt, from 0 to
   * 1, that came from the prompt cache, or null if unknown. Servers that count cached tokens omit
   * `cachedTokens` if it is zero. For other servers, the share is estimated from the duration.
   */
  measured(promptMs: number | undefined, promptTokens?: number, cachedTokens?: number): number | null;
}

/** Maximum common prefix, as a share of the prompt, for a measurement that counts as uncached. */
const maxCommonShare = 0.1;

/** Estimates the processing time of a prompt by model, based on the new text and the last measurement. */
export class PromptSpeed {
  private readonly models = new Map<string, Known>();
  /** True if the server has reported cached tokens before. */
  private isCounted = false;

  of(model: string, text: string): PromptEstimate {
    const known = this.models.get(model);
    const unread = text.length - commonPrefixLength(known?.text ?? '', text);
    const { speed = null, uncachedSpeed = null } = known ?? {};
    return {
      newShare: text.length === 0 ? 0 : unread / text.length,
      expectedMs: speed === null ? null : unread / speed,
      patienceMs: speed === null ? unknownPatience : Math.max(minPatience, (unread / speed) * slack),
      measured: (promptMs, promptTokens = 0, cachedTokens) => {
        this.isCounted ||= cachedTokens !== undefined;
        const isUseful = promptMs !== undefined && promptMs > 0 && unread >= minCharacters;
        const common = 1 - unread / text.length;
        const isUncached = promptMs !== undefined && promptMs > 0 && promptTokens > 0 && common < maxCommonShare;
        this.models.set(model, {
          text,
          speed: isUseful ? unread / promptMs : speed,
          uncachedSpeed: isUncached ? promptTokens / promptMs : uncachedSpeed,
        });
        if (promptTokens <= 0) return null;
        if (this.isCounted) return Math.min(1, (cachedTokens ?? 0) / promptTokens);
        if (common < maxCommonShare) return 0;
        if (uncachedSpeed === null || promptMs === undefined) return null;
        // The cache contains at most the common prefix of both prompts.
        return Math.max(0, Math.min(common, 1 - (promptMs * uncachedSpeed) / promptTokens));
      },
    };
  }
}

/**
 * Returns the text of a prompt in the order that most templates use: the system
 * prompt, the tools, the other messages. An image counts as a text of typical length.
 */
export function joinPrompt({ tools = [], messages }: Pick<ChatRequest, 'tools' | 'messages'>): string {
  const [first, ...others] = messages.map(withShortImages);
  return JSON.stringify([first, tools, others]);
}

function withShortImages({ images, ...message }: ChatRequest['messages'][number]) {
  return images === undefined ? message : { ...message, images: images.map((image) => image.slice(-imageLength)) };
}

/** Returns the length of the common prefix of both texts in characters. */
export function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Minimum tokens of an answer for a useful measurement. */
const minTokens = 8;

/** Writing speed of each model, as measured with its last answer. */
export class WritingSpeed {
  private readonly speeds = new Map<string, number>();

  /** Returns the tokens per second of a model, or null without measurements. */
  of(model: string): number | null {
    return this.speeds.get(model) ?? null;
  }

  note(model: string, { answerTokens = 0, answerMs = 0 }: Pick<AnswerStats, 'answerTokens' | 'answerMs'>): void {
    if (answerTokens >= minTokens && answerMs > 0) this.speeds.set(model, (answerTokens / answerMs) * 1000);
  }
}
