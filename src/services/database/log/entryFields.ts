import type { EntryInput } from '../../../protocol/entries';
import type { MessageRecord } from '../../../types/session';
import type { StatementSync } from '../sqlite/sqlite';

/** Converts entries to rows of `messages` (docs/storage/log.md). Does not validate them, so that schemas need not be loaded. */

/** Columns whose values the log assigns. */
type Assigned = 'id' | 'session_id' | 'seq' | 'revision' | 'timestamp' | 'is_open' | 'checksum';
export type MessageFields = Omit<MessageRecord, Assigned>;

export const messageColumns =
  'id, session_id, seq, revision, type, role, content, data, model, tool_name, tool_input, tool_output, tool_calls, ' +
  'progress_title, checkpoint_id, plan_item_id, is_open, timestamp, checksum';

/** Reads all rows of a statement that selects `messageColumns`. Reading array rows takes half as long as object rows. */
export function allRecords(statement: StatementSync, ...values: (string | number)[]): MessageRecord[] {
  statement.setReturnArrays(true);
  return statement.all(...values).map(toRecord);
}

/** Reads rows like `allRecords`, one at a time. */
export function* eachRecord(statement: StatementSync, ...values: (string | number)[]): Generator<MessageRecord, void> {
  statement.setReturnArrays(true);
  for (const row of statement.iterate(...values)) yield toRecord(row);
}

/** Creates a record from a row with columns in the order of `messageColumns`. */
function toRecord(row: unknown): MessageRecord {
  const [id, session_id, seq, revision, type, role, content, data, model, tool_name, tool_input, tool_output, ...rest] =
    row as unknown[];
  const [tool_calls, progress_title, checkpoint_id, plan_item_id, is_open, timestamp, checksum] = rest;
  const tool = { tool_name, tool_input, tool_output, tool_calls, progress_title };
  const place = { id, session_id, seq, revision, checkpoint_id, plan_item_id, is_open, timestamp, checksum };
  return { ...place, type, role, content, data, model, ...tool } as MessageRecord;
}

export function toFields(input: EntryInput): MessageFields {
  const fields: MessageFields = {
    type: input.type,
    role: chooseRole(input.type),
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

/** Replaces characters that SQLite or readers cannot handle. Does not change the length in UTF-16 code units. */
export function storableText(text: string): string {
  // Nearly all texts need no change, and checking takes only a tenth of the time of replacing.
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.replace(/\p{Surrogate}/gu, '\ufffd').replaceAll('\0', '\u2400');
}

function chooseRole(type: EntryInput['type']): MessageRecord['role'] {
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
