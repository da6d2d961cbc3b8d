import type { EntryType } from '../../../protocol/entries';
import type { ProjectScope } from '../../database/search/projectScope';
import type { LanceState } from '../vectors/vectorStore';

/** Types of the entries that a person or the model wrote: what is embedded. */
export const spokenTypes: readonly EntryType[] = ['user_input', 'assistant_output'];

/** Files of the conversations and of the index over them. */
export interface MessagePlace {
  /** Database of the conversations; it is only read. */
  history: string;
  index: string;
  /** True where a person has chosen LanceDB for its vectors. */
  isLance?: boolean;
}

/** Part of a message, as a model is given it. */
export interface MessageText {
  sessionId: string;
  seq: number;
  part: number;
  text: string;
}

/** Texts without a vector, and how far each session is indexed once they have one. */
export interface MessageBatch {
  texts: MessageText[];
  reached: { sessionId: string; revision: number }[];
}

export interface EmbeddedMessage extends Omit<MessageText, 'text'> {
  /** Null where the model cannot embed it. */
  vector: Float32Array | null;
}

/** Message that is near to a query. */
export interface NearMessage {
  sessionId: string;
  seq: number;
  similarity: number;
  /** Beginning of the part that is nearest, in one line. */
  line: string;
}

export interface MessageState {
  messages: number;
  vectors: number;
  bytes: number;
  /** Null where LanceDB is not chosen. */
  lance: LanceState | null;
}

/** Work of the worker on the index over the conversations. */
export type MessageWork =
  | { do: 'next'; model: string; limit: number }
  | { do: 'put'; model: string; rows: readonly EmbeddedMessage[]; reached: MessageBatch['reached'] }
  | { do: 'nearest'; model: string; vector: Float32Array; limit: number; scope?: ProjectScope | undefined }
  | { do: 'forget'; sessionId: string }
  | { do: 'recreate' }
  | { do: 'state' };

export type MessageAnswer =
  | ({ did: 'next' } & MessageBatch)
  | { did: 'put'; isCleared: boolean }
  | { did: 'nearest'; found: NearMessage[] }
  | ({ did: 'state' } & MessageState);
