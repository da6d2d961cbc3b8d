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

const qwen: FimFamily = {
  name: 'qwen',
  prompt: ({ prefix, suffix, path, context }) => {
    const files = context.map((one) => `<|file_sep|>${one.path}\n${one.text}\n`).join('');
    const name = files === '' ? '' : `<|file_sep|>${path}\n`;
    return `${files}${name}<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>`;
  },
  stop: ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|file_sep|>', '<|endoftext|>', '<|cursor|>', '<|im_end|>'],
  suffixFirst: false,
};

/** Returns the family of a model by its architecture and name; undefined for one that is not known. */
export function fimFamilyOf(architecture: string, name: string): FimFamily | undefined {
  return /^qwen/i.test(architecture) && /coder/i.test(name) ? qwen : undefined;
}
