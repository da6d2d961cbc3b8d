import { damagedCode } from '../../../protocol/text/damagedEntry';
import type { Entry, EntryInput } from '../../../protocol/entries';
import { withoutKept } from '../../../protocol/toolFacts';
import type { MessageRecord } from '../../../types/session';
import { messageColumns } from '../../database/log/entryFields';
import { isUnreadable, toEntry } from '../../database/log/entryRows';
import type { ImportSink } from '../importedEntry';
import { textOrNull, readTime, titleFrom } from '../importedValues';
import { rowNumber, type Row } from './rows';

/** Reads the log of a session from a database of this product. Returns a default title. */
export function readOwnLog(rows: Iterable<Row>, sink: ImportSink): string {
  const seqOf = (seq: number): number => Number(sink.recall(`seq ${seq}`) ?? Math.min(seq, sink.lastSeq));
  let title = '';
  for (const row of rows) {
    const line = rowNumber(row);
    const entry = toEntry(toRecord(row));
    const isLost = isUnreadable(entry);
    if (isLost) sink.issue(line, 'unknownForm');
    const seq = sink.add({
      id: textOrNull(row.id) ?? `line-${line}`,
      line,
      time: readTime(row.timestamp),
      input: isLost ? placeholderFor(entry) : inputOfEntry(entry, seqOf),
    });
    if (seq > 0) sink.remember(`seq ${String(row.seq)}`, String(seq));
    if (title === '' && entry.type === 'user_input') title = titleFrom(entry.content);
  }
  return title;
}

/** Creates a replacement for an unreadable entry, so that references to later entries stay valid. Keeps the text, if any. */
function placeholderFor({ type, content, data }: Entry): EntryInput {
  if (type === 'system_message' && data.code === damagedCode) return { type, content, data };
  const placeholder = 'An entry here could not be read.';
  return { type: 'system_message', content: placeholder, data: { level: 'warning', code: 'imported' } };
}

const defaults = { seq: 1, revision: 1, content: '', data: '{}', is_open: 0, timestamp: 1 };

/** Creates a record from columns of any type. The schemas detect invalid values later. */
function toRecord(row: Row): MessageRecord {
  const record = messageColumns.split(', ').map((column) => [column, row[column] ?? null] as const);
  const known = Object.fromEntries(record.filter(([, value]) => value !== null));
  return { ...Object.fromEntries(record), ...defaults, ...known } as MessageRecord;
}

/**
 * Copies an entry without data that depends on its old database: checkpoints,
 * saved Git histories and open entries. `seqOf` maps an old `seq` to the new one.
 */
export function inputOfEntry(entry: Entry, seqOf: (seq: number) => number): EntryInput {
  const { type, content, model, planItemId } = entry;
  const { id: callId } = entry;
  const around = { content, model, planItemId };
  switch (type) {
    case 'compact_marker':
      return {
        ...around,
        type,
        data: {
          ...entry.data,
          throughSeq: seqOf(entry.data.throughSeq),
          ...(entry.data.kept && { kept: entry.data.kept.map(seqOf) }),
        },
      };
    case 'compact_undone':
      return { ...around, type, data: { markerSeq: Math.max(1, seqOf(entry.data.markerSeq)) } };
    case 'restore': {
      const { fromSeq } = entry.data;
      return { ...around, type, data: { ...entry.data, ...(fromSeq && { fromSeq: Math.max(1, seqOf(fromSeq)) }) } };
    }
    case 'turns_kept':
      return { ...around, type, data: { restoreSeq: Math.max(1, seqOf(entry.data.restoreSeq)) } };
    case 'rewind':
      return { ...around, type, data: { fromSeq: Math.max(1, seqOf(entry.data.fromSeq)) } };
    case 'checkpoint':
      return { ...around, type, data: withoutKept(entry.data) };
    case 'assistant_output':
      return { ...around, type, data: entry.isOpen ? { ...entry.data, end: 'incomplete' } : entry.data };
    case 'tool_call':
      return { ...around, type, data: { ...entry.data, callId: entry.data.callId || callId } };
    default:
      return { ...around, type, data: entry.data } as EntryInput;
  }
}
