import type { RequestOptions } from '../services/model/context/requestOptions';
import type { FimFamily } from './models/fimFamilies';

/** Cursor in a document with the text around it. Line ends are `\n`, whatever the file has. */
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
  /** Text from the cursor on; line endings are `\n`. */
  text: string;
  /** Characters after the cursor that the text replaces: brackets that the editor closed automatically. */
  replaces: number;
  /** True while the model is still writing the rest. */
  isPartial: boolean;
  model: string;
}

export interface CompletionModel {
  name: string;
  /** Identity of the weights; the name if the server does not report one. */
  digest: string;
  /** Prompt format: the tokens of the family, or the template of the server. */
  ask: FimAsk;
  /** Stop sequences of the Modelfile, which those of a request would replace. */
  stop: readonly string[];
  /** Options of every request, including the context window. */
  options: RequestOptions;
}

export function loadRequest({ name, options }: CompletionModel, keepAlive: string | number) {
  return { model: name, options: { num_ctx: options.num_ctx }, keep_alive: keepAlive };
}

/** Prompt format. `raw`: the prompt is written with the tokens of a family. `suffix`: the server applies its template. */
export type FimAsk = { way: 'raw'; family: FimFamily } | { way: 'suffix' };

/** Reason for no suggestion; `detail` is localized. */
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
