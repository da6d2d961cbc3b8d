import { entrySchema, type Entry } from '../../../protocol/entries';
import type { MessageRecord } from '../../../types/session';
import { parsedJson } from '../../../utils/json';

/** Converts rows of `messages` to entries (docs/storage/log.md). */

/** Returns the entry of a row. A row that does not match the schemas becomes a placeholder: see `isUnreadable`. */
export function toEntry(record: MessageRecord): Entry {
  const parsed = entrySchema.safeParse({
    ...identityOf(record),
    type: record.type,
    content: record.content,
    data: dataOf(record),
  });
  return parsed.success ? parsed.data : placeholderOf(record);
}

export function isUnreadable(entry: Entry): boolean {
  return entry.type === 'system_message' && entry.data.code === unreadableCode;
}

const unreadableCode = 'unreadable';

function identityOf(record: MessageRecord) {
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

function dataOf(record: MessageRecord): unknown {
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

function placeholderOf(record: MessageRecord): Entry {
  return {
    ...identityOf(record),
    type: 'system_message',
    isOpen: false,
    content: 'Could not read an entry here. It remains unchanged in the database.',
    data: { level: 'warning', code: unreadableCode },
  };
}
