import type { RequestOptions } from '../services/model/context/requestOptions';
import type { FimFamily } from './models/fimFamilies';

/** A cursor in a document, with the text around it. Line ends are `\n`, whatever the file has. */
export interface CompletionDocument {
  /** Identity of the document. */
  uri: string;
  /** Workspace-relative, with `/`. */
  path: string;
  languageId: string;
  before: string;
  after: string;
  lineCount: number;
}

/** Text to show at a cursor. */
export interface Suggestion {
  id: number;
  /** Text from the cursor on, with `\n` as line ends. */
  text: string;
  /** Characters after the cursor, in its line, that the text takes the place of: brackets that the editor has closed. */
  replaces: number;
  /** True while the model is still writing what comes after it. */
  isPartial: boolean;
  model: string;
}

/** A model as it is asked for completions. */
export interface CompletionModel {
  name: string;
  /** Identity of its weights; the name where the server tells none. */
  digest: string;
  /** Way of asking: the family's own tokens, or the server's template. */
  ask: FimAsk;
  /** Stop sequences of its Modelfile, which those of a request would replace. */
  stop: readonly string[];
  /** Options of every request, among them the window that it is loaded with. */
  options: RequestOptions;
}

/** Returns the request that loads a model with its window. */
export function loadRequest({ name, options }: CompletionModel, keepAlive: string | number) {
  return { model: name, options: { num_ctx: options.num_ctx }, keep_alive: keepAlive };
}

/** Family by which a prompt is written by hand; `suffix` leaves it to the template of the server. */
export type FimAsk = { way: 'raw'; family: FimFamily } | { way: 'suffix' };

/** Reason why nothing came, by a code; `detail` is for a person, in their language. */
export interface NothingBecause {
  code: NothingCode;
  detail?: string;
}

export type NothingCode =
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
