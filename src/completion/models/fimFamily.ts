/** A piece of another file that goes along with a prompt. */
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

/** Writes the prompt by which the models of a family fill in the middle. */
export interface FimFamily {
  name: string;
  prompt: (parts: FimParts) => string;
  stop: readonly string[];
  /** True if the suffix comes before the prefix. */
  suffixFirst: boolean;
}
