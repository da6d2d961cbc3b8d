import type { ServerAge } from '../../support/ollama/doubleModel';

/** The server under test and its model names, one for each behaviour. */
export interface ContractTarget {
  baseUrl: () => string;
  age: ServerAge;
  models: {
    /** Model that only completes. */
    chat: string;
    /** Model that calls `read_file` for `Read README.md`. The server renders its prompt. */
    tools: string;
    /** Same behaviour as `tools`, but the runner renders the prompt. */
    toolsNative: string;
    /** Model that thinks before it responds. */
    thinking: string;
    /** Model with the capability insert. */
    insert: string;
    /** Model for embeddings: 384 dimensions, at most 512 tokens. */
    embed: string;
  };
}

/** Options that all tests share, so that no model is loaded twice. */
export const options = { num_ctx: 2048, temperature: 0 };

export const readFileTool = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', required: ['path'], properties: { path: { type: 'string', description: 'The file.' } } },
  },
};
