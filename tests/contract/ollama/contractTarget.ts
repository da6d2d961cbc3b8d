import type { ServerAge } from '../../support/ollama/doubleModel';

/** The server under test and the names of its models, one for each way of behaving. */
export interface ContractTarget {
  baseUrl: () => string;
  age: ServerAge;
  models: {
    /** Completes, nothing else. */
    chat: string;
    /** Calls `read_file` for `Read README.md`; the server renders its prompt. */
    tools: string;
    /** The same, rendered by the runner. */
    toolsNative: string;
    /** Thinks before it answers. */
    thinking: string;
    /** Has the capability insert. */
    insert: string;
    /** Embeds, 384 dimensions, at most 512 tokens. */
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
