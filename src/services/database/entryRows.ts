import { entrySchema, type Entry, type EntryInput } from '../../protocol/entries';
import type { MessageRecord } from '../../types/session';

/** Entry ↔ row of `messages`, as docs/storage-format.md lays it out. */

/** What the log adds when it writes the row. */
type Assigned = 'id' | 'session_id' | 'seq' | 'revision' | 'timestamp' | 'is_open';
export type MessageFields = Omit<MessageRecord, Assigned>;

export const messageColumns =
  'id, session_id, seq, revision, type, role, content, data, model, tool_name, tool_input, tool_output, tool_calls, ' +
  'progress_title, checkpoint_id, plan_item_id, is_open, timestamp';

export function toFields(input: EntryInput): MessageFields {
  const fields: MessageFields = {
    type: input.type,
    role: roleOf(input.type),
    content: storableText(input.content ?? ''),
    data: '{}',
    model: input.model ?? null,
    tool_name: null,
    tool_input: null,
    tool_output: null,
    tool_calls: null,
    progress_title: null,
    checkpoint_id: input.checkpointId ?? null,
    plan_item_id: input.planItemId ?? null,
  };
  switch (input.type) {
    case 'tool_call': {
      const { name, input: toolInput, label, ...rest } = input.data;
      return {
        ...fields,
        data: JSON.stringify(rest),
        tool_name: storableText(name),
        tool_input: JSON.stringify(toolInput),
        progress_title: label === undefined ? null : storableText(label),
      };
    }
    case 'tool_result': {
      const { name, display, summary, ...rest } = input.data;
      return {
        ...fields,
        data: JSON.stringify(rest),
        tool_name: storableText(name),
        tool_output: display === undefined ? null : storableText(display),
        progress_title: summary === undefined ? null : storableText(summary),
      };
    }
    default:
      return { ...fields, data: JSON.stringify(input.data) };
  }
}

/** The entry of a row; a row that does not fit the schemas becomes a placeholder in its place, see `isUnreadable`. */
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

/** `text` as SQLite can hold it and every reader can read it: the same number of UTF-16 code units. */
export function storableText(text: string): string {
  // Nearly every text is so already: looking costs a tenth of replacing.
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replaceAll('\0', '\u2400');
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
  const rest = parseJson(record.data);
  if (typeof rest !== 'object' || rest === null) return undefined;
  const name = record.tool_name;
  const title = record.progress_title;
  switch (record.type) {
    case 'tool_call':
      return { ...rest, name, input: parseJson(record.tool_input ?? ''), ...(title === null ? {} : { label: title }) };
    case 'tool_result': {
      const display = record.tool_output;
      return { ...rest, name, ...(title === null ? {} : { summary: title }), ...(display === null ? {} : { display }) };
    }
    default:
      return rest;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function placeholderOf(record: MessageRecord): Entry {
  return {
    ...identityOf(record),
    type: 'system_message',
    isOpen: false,
    content: 'An entry here could not be read. It is kept in the database as it is.',
    data: { level: 'warning', code: unreadableCode },
  };
}

function roleOf(type: EntryInput['type']): MessageRecord['role'] {
  switch (type) {
    case 'user_input':
      return 'user';
    case 'thinking':
    case 'assistant_output':
    case 'tool_call':
      return 'assistant';
    case 'tool_result':
    case 'file_edit':
      return 'tool';
    default:
      return 'system';
  }
}
