import type { Entry, EntryInput } from '../../src/protocol/entries';

/** Returns entries as a log would contain them: `seq` and `revision` count from 1, times from 1001. */
export function entries(...inputs: EntryInput[]): Entry[] {
  return inputs.map((input, index) => ({
    id: `e${index + 1}`,
    sessionId: 's',
    seq: index + 1,
    revision: index + 1,
    timestamp: 1001 + index,
    content: input.content ?? '',
    isOpen: false,
    model: input.model ?? null,
    checkpointId: input.checkpointId ?? null,
    planItemId: input.planItemId ?? null,
    type: input.type,
    data: input.data,
  })) as Entry[];
}
