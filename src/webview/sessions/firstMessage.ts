import type { AttachmentRef } from '../../protocol/entries';
import type { HostResult } from '../../protocol/hostApi';
import type { Turn } from '../../protocol/timeline';
import type { NextGrants } from '../composer/pickers/useGrants';

export type Mode = HostResult<'ready'>['mode'];

/** Options of a message that begins a session. */
export interface FirstMessage {
  /** Permissions of the session. */
  grants?: NextGrants | undefined;
  /** Called with the session just before it is shown in place of the empty chat. */
  onBegun?: (sessionId: string) => void;
}

/** Returns the turn of a message that has not been stored yet, as it will be once it is. */
export function firstTurn(text: string, mode: Mode, model: string | null, attachments: readonly AttachmentRef[]): Turn {
  const timestamp = Date.now();
  return {
    seq: 1,
    user: { text, mode, attachments: [...attachments], timestamp, checkpointId: null },
    ...{ blocks: [], model, stats: null, todos: null, outcome: 'running', timestamp },
  };
}
