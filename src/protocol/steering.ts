import type { Entry, EntryInput } from './entries';

const steeredCode = 'steered';

/** Entry before a message that was sent during a run and that the run continues with. */
export const steeredEntry: EntryInput = { type: 'system_message', content: '', data: { level: 'info', code: steeredCode } };

export function isSteered(entry: Entry): boolean {
  return entry.type === 'system_message' && entry.data.code === steeredCode;
}
