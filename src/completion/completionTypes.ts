import type { ModelOptions } from '../services/model/context/requestOptions';
import type { FimFamily } from './models/fimFamilies';

/** Cursor in a document, with the surrounding text. Line endings are `\n`, regardless of the file. */
export interface CompletionDocument {
  uri: string;
  /** Path relative to the workspace, with `/`. */
  path: string;
  languageId: string;
  before: string;
  after: string;
  lineCount: number;
}

export interface Suggestion {
  id: number;
  /** Text to insert at the cursor. Line endings are `\n`. */
  text: string;
  /** Number of characters after the cursor that the text replaces. These are brackets that the editor closed automatically. */
  replaces: number;
  /** True while the model is still generating the rest. */
  isPartial: boolean;
  model: string;
}

export interface CompletionModel {
  name: string;
  /** Digest of the weights, or the name if the server does not report a digest. */
  digest: string;
  /** Prompt format: the tokens of a model family, or the template of the server. */
  ask: FimAsk;
  /** Stop sequences of the Modelfile. Stop sequences in a request would replace them. */
  stop: readonly string[];
  /** Options of every request, including the context window. */
  options: ModelOptions;
}

export function loadRequest({ name, options }: CompletionModel, keepAlive: string | number) {
  return { model: name, options: { num_ctx: options.num_ctx }, keep_alive: keepAlive };
}

/** Prompt format. `raw`: the prompt contains the tokens of a family. `suffix`: the server applies its template. */
export type FimAsk = { way: 'raw'; family: FimFamily } | { way: 'suffix' };

/** Reason why there is no suggestion. `detail` is localized. */
export interface NoSuggestion {
  code: NoSuggestionCode;
  detail?: string;
}

export type NoSuggestionCode =
  | 'noModel'
  | 'unfit'
  | 'failed'
  | 'empty'
  | 'dropped'
  | 'chatRuns'
  | 'list'
  | 'language'
  | 'comment'
  | 'closed'
  | 'snoozed'
  | 'off';
