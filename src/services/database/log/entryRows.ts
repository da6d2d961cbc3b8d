import { damagedCode, damagedNotice } from '../../../protocol/text/damagedEntry';
import { entrySchema, type Entry } from '../../../protocol/entries';
import type { MessageRecord } from '../../../types/session';
import { parsedJson } from '../../../utils/json';
import { computeChecksum } from './entryChecksum';

/** Converts rows of `messages` to entries (docs/storage/log.md). */

/** Returns the entry of a stored row. If the row does not match its checksum or the schemas, see `isUnreadable`. */
export function toEntry(record: MessageRecord): Entry {
  return isDamaged(record)
    ? createPlaceholder(record, damagedCode, `${damagedNotice}\n\n${collectText(record)}`)
    : entryOfNew(record);
}

/** Like `toEntry`, for a row that this process has just written. Does not compare the checksum. */
export function entryOfNew(record: MessageRecord): Entry {
  const parsed = entrySchema.safeParse({
    ...pickIdentity(record),
    type: record.type,
    content: record.content,
    data: parseData(record),
  });
  return parsed.success
    ? parsed.data
    : createPlaceholder(record, unreadableCode, 'Could not read an entry here. It remains unchanged in the database.');
}

/** Returns true if an entry is the placeholder of a row that is damaged or does not match the schemas. */
export function isUnreadable(entry: Entry): boolean {
  return entry.type === 'system_message' && [unreadableCode, damagedCode].includes(entry.data.code);
}

/** Returns true if a row has changed since it was stored. */
export function isDamaged(record: MessageRecord): boolean {
  return record.is_open === 0 && record.checksum !== null && record.checksum !== computeChecksum(record);
}

/** Returns the text that a damaged row still contains. */
function collectText({ content, tool_output, tool_input, data }: MessageRecord): string {
  return content || tool_output || tool_input || data;
}

const unreadableCode = 'unreadable';

function pickIdentity(record: MessageRecord) {
  return {
    id: record.id,
    sessionId: record.session_id,
    seq: record.seq,
    revision: record.revision,
    timestamp: record.timestamp,
    isOpen: record.is_open === 1,
    model: record.model,
    checkpointId: record.checkpoint_id,
    planItemId: record.plan_item_id,
  };
}

function parseData(record: MessageRecord): unknown {
  const rest = parsedJson(record.data);
  if (typeof rest !== 'object' || rest === null) return undefined;
  const name = record.tool_name;
  const title = record.progress_title;
  switch (record.type) {
    case 'tool_call':
      return { ...rest, name, input: parsedJson(record.tool_input ?? ''), ...(title === null ? {} : { label: title }) };
    case 'tool_result': {
      const display = record.tool_output;
      return { ...rest, name, ...(title === null ? {} : { summary: title }), ...(display === null ? {} : { display }) };
    }
    default:
      return rest;
  }
}

function createPlaceholder(record: MessageRecord, code: string, content: string): Entry {
  return {
    ...pickIdentity(record),
    type: 'system_message',
    isOpen: false,
    content,
    data: { level: 'warning', code },
  };
}
