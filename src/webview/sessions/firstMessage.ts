import type { AttachmentRef } from '../../protocol/entries';
import type { HostResult } from '../../protocol/hostApi';
import type { Turn } from '../../protocol/timeline';
import type { NextGrants } from '../composer/pickers/useGrants';

export type NewChatMode = HostResult<'ready'>['mode'];

export interface NewChatMessage {
  grants?: NextGrants | undefined;
  /** Runs just before the new session replaces the empty chat. */
  onBegun?: (sessionId: string) => void;
}

/** Returns the turn for a message that is not stored yet, in the same form as a stored turn. */
export function firstTurn(text: string, mode: NewChatMode, model: string | null, attachments: readonly AttachmentRef[]): Turn {
  const timestamp = Date.now();
  return {
    seq: 1,
    user: { text, mode, attachments: [...attachments], timestamp, checkpointId: null },
    blocks: [],
    model,
    stats: null,
    todos: null,
    outcome: 'running',
    timestamp,
  };
}
