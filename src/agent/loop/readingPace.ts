import type { AnswerStats } from '../../protocol/entries';

/** Milliseconds to wait for a model that nothing is known of yet. */
const unknownPatience = 10_000;
const leastPatience = 2000;
/** Reading takes longer with a longer conversation before it, and on a busy machine. */
const slack = 1.5;
/** Characters; less than that tells more of what a request costs than of how fast a model reads. */
const enough = 1000;

interface Known {
  /** Text that the server has read last, and does not read again if the next request begins alike. */
  text: string;
  /** Characters in a millisecond. */
  pace: number | null;
  /** Tokens in a millisecond, of a prompt that began like none before it. */
  coldPace: number | null;
}

export interface Reading {
  /** Milliseconds in which the prompt probably is read; null where nothing was measured. */
  readonly expectedMs: number | null;
  /** Milliseconds after which a prompt usually has been read. */
  readonly patienceMs: number;
  /**
   * Notes that the server has answered, and how long it read what it did not know yet. Returns the share of the prompt, from 0 to 1, that it did not
   * read anew: as the server counted it or, on servers that do not, by how long it read; null where nothing tells.
   * `cachedTokens`: of the prompt; a server leaves out a count of zero.
   */
  measured(promptMs: number | undefined, promptTokens?: number, cachedTokens?: number): number | null;
}

/** Share of a prompt that it has in common with the one before at the most, for it to tell how fast the whole of one is read. */
const cold = 0.1;

/** Expects how long a prompt is read, by model: from what is new in it, and from how long the server took for the one before. */
export class ReadingPace {
  private readonly models = new Map<string, Known>();
  /** True once the server has counted what came from its cache. */
  private isCounted = false;

  of(model: string, text: string): Reading {
    const known = this.models.get(model);
    const unread = text.length - commonPrefixLength(known?.text ?? '', text);
    const { pace = null, coldPace = null } = known ?? {};
    return {
      expectedMs: pace === null ? null : unread / pace,
      patienceMs: pace === null ? unknownPatience : Math.max(leastPatience, (unread / pace) * slack),
      measured: (promptMs, promptTokens = 0, cachedTokens) => {
        this.isCounted ||= cachedTokens !== undefined;
        const isTelling = promptMs !== undefined && promptMs > 0 && unread >= enough;
        const common = 1 - unread / text.length;
        const isCold = promptMs !== undefined && promptMs > 0 && promptTokens > 0 && common < cold;
        this.models.set(model, {
          text,
          pace: isTelling ? unread / promptMs : pace,
          coldPace: isCold ? promptTokens / promptMs : coldPace,
        });
        if (promptTokens <= 0) return null;
        if (this.isCounted) return Math.min(1, (cachedTokens ?? 0) / promptTokens);
        if (common < cold) return 0;
        if (coldPace === null || promptMs === undefined) return null;
        // A server has at most that in its cache which both prompts have in common.
        return Math.max(0, Math.min(common, 1 - (promptMs * coldPace) / promptTokens));
      },
    };
  }
}

/** Counts the characters at the beginning that both have in common. */
function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Tokens of an answer below which it tells little. */
const telling = 8;

/** Knows how fast each model writes: as its last answer was measured. */
export class WritingPace {
  private readonly paces = new Map<string, number>();

  /** Returns the tokens that a model writes in a second; null where nothing was measured. */
  of(model: string): number | null {
    return this.paces.get(model) ?? null;
  }

  note(model: string, { answerTokens = 0, answerMs = 0 }: Pick<AnswerStats, 'answerTokens' | 'answerMs'>): void {
    if (answerTokens >= telling && answerMs > 0) this.paces.set(model, (answerTokens / answerMs) * 1000);
  }
}
