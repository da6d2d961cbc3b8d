/** Speed of one answer, in tokens per second. A rate is null if the response did not contain it. */
export interface MeasuredSpeed {
  promptTokens: number;
  promptRate: number | null;
  answerRate: number | null;
}

/** Measured figures of a model on one computer, by digest. All values are null until they are measured. */
export interface ModelFigures {
  /** Duration of the last load in milliseconds, including the wait for the server. */
  loadMs: number | null;
  /** Last answer to a prompt with fewer than `longPrompt` tokens. */
  short: MeasuredSpeed | null;
  /** Last answer to a longer prompt. */
  long: MeasuredSpeed | null;
  /** Memory of the loaded model in bytes, the part on the GPU, and the context window in tokens of this load. */
  memory: { size: number; vram: number; window: number } | null;
  /** Size of one token in the cache, in bytes. `isUpperBound`: some layers store fewer tokens, so the real size can be lower. */
  cache: { bytesPerToken: number; isUpperBound: boolean } | null;
  /**
   * Largest context window in tokens with which the whole model stays on the GPU, as determined by
   * a search. `tokens` is null if there is none.
   */
  largest: { tokens: number | null } | null;
  /** Context window in tokens that the user selected for the model. */
  ownWindow: number | null;
}

export const noFigures: Readonly<ModelFigures> = {
  loadMs: null,
  short: null,
  long: null,
  memory: null,
  cache: null,
  largest: null,
  ownWindow: null,
};

/** Minimum number of tokens of a long prompt. */
export const longPrompt = 2048;
