import type { EntryType } from '../../../protocol/entries';
import type { ProjectScope } from '../../database/search/projectScope';
import type { LanceState } from '../vectors/vectorStore';

/** Entry types to embed: messages of the user and of the model. */
export const spokenTypes: readonly EntryType[] = ['user_input', 'assistant_output'];

/** Paths of the conversation database and of its index. */
export interface MessagePlace {
  /** Conversation database, opened read-only. */
  history: string;
  index: string;
  isLance?: boolean;
}

export interface MessageText {
  sessionId: string;
  seq: number;
  part: number;
  text: string;
}

/** Texts without a vector, and the revision up to which each session is indexed after these texts are embedded. */
export interface MessageBatch {
  texts: MessageText[];
  reached: { sessionId: string; revision: number }[];
}

export interface EmbeddedMessage extends Omit<MessageText, 'text'> {
  /** Null if the model cannot embed the text. */
  vector: Float32Array | null;
}

export interface NearMessage {
  sessionId: string;
  seq: number;
  similarity: number;
  /** Start of the nearest part as a single line. */
  line: string;
}

export interface MessageState {
  messages: number;
  vectors: number;
  bytes: number;
  lance: LanceState | null;
}

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
  /** `isDamaged` is true if vectors were lost through damage and the user has not rebuilt the index since. */
  | { did: 'nearest'; found: NearMessage[]; isDamaged: boolean }
  | ({ did: 'state' } & MessageState);
