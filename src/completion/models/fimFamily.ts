/** Snippet of another file in a prompt. */
export interface FimContext {
  path: string;
  text: string;
}

export interface FimParts {
  prefix: string;
  suffix: string;
  path: string;
  context: readonly FimContext[];
}

/** Family of models that share a fill-in-the-middle format. */
export interface FimFamily {
  name: string;
  prompt: (parts: FimParts) => string;
  stop: readonly string[];
  /** True if the suffix comes before the prefix. */
  suffixFirst: boolean;
}
