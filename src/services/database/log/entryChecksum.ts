import { crc32 } from 'node:zlib';
import type { MessageFields } from './entryFields';

/** Columns that the checksum covers, in this order (docs/storage/log.md). */
const covered = [
  'type',
  'role',
  'content',
  'data',
  'model',
  'tool_name',
  'tool_input',
  'tool_output',
  'tool_calls',
  'progress_title',
  'checkpoint_id',
  'plan_item_id',
] as const satisfies readonly (keyof MessageFields)[];

/** Returns the CRC-32 of the covered columns. Each value is followed by a NUL, because stored text never contains one. */
export function computeChecksum(fields: MessageFields): number {
  return covered.reduce((sum, column) => crc32(`${fields[column] ?? ''}\0`, sum), 0);
}
