import type { Entry, EntryInput } from './entries';

const steeredCode = 'steered';

/** Entry before a message that the user sent during a run. The run continues with this message. */
export const steeredEntry: EntryInput = { type: 'system_message', content: '', data: { level: 'info', code: steeredCode } };

export function isSteered(entry: Entry): boolean {
  return entry.type === 'system_message' && entry.data.code === steeredCode;
}
