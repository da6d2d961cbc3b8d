/** Speed of one answer. Rates are tokens per second; null if the answer did not show them. */
export interface MeasuredSpeed {
  promptTokens: number;
  promptRate: number | null;
  answerRate: number | null;
}

/** Measured figures of a model, by digest, on one machine. Everything is null until it is measured. */
export interface ModelFigures {
  /** Milliseconds of the last load, with the wait for the server. */
  loadMs: number | null;
  /** Last answer to a prompt below `longPrompt` tokens. */
  short: MeasuredSpeed | null;
  /** Last answer to a longer prompt. */
  long: MeasuredSpeed | null;
  /** Memory of the loaded model in bytes, the part of it on the GPU, and the window in tokens that it was loaded with. */
  memory: { size: number; vram: number; window: number } | null;
  /** Bytes of one token in the cache. `isUpperBound`: some layers keep fewer tokens, so it may be less. */
  cache: { bytesPerToken: number; isUpperBound: boolean } | null;
  /** Largest window in tokens with which the whole model stays on the GPU, as a search found it; `tokens` is null if none does. */
  largest: { tokens: number | null } | null;
  /** Window in tokens that the user chose for the model. */
  ownWindow: number | null;
}

export const noFigures: Readonly<ModelFigures> = {
  ...{ loadMs: null, short: null, long: null, memory: null, cache: null, largest: null, ownWindow: null },
};

/** Tokens from which a prompt counts as long. */
export const longPrompt = 2048;
