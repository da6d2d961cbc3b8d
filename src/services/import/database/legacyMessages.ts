import type { EntryInput } from '../../../protocol/entries';
import type { ImportSink } from '../importedEntry';
import { textOrNull, readTime, titleFrom } from '../importedValues';
import { rowNumber, type Row } from './rows';
import { isRecord, parsedJson } from '../../../utils/json';

interface Call {
  id: string;
  name: string;
}

/**
 * Reads the messages of a session from a database of the sql.js version. Each row is a message
 * of the user, the model or a tool, or data of the view at that time. Returns a default title.
 */
export function readLegacyMessages(rows: Iterable<Row>, mode: string, sink: ImportSink): string {
  let title = '';
  let calls: Call[] = [];
  let answered: { id: string; line: number; time: number | null } | null = null;
  const endTurn = (): void => {
    if (answered !== null)
      sink.add({ ...answered, id: `${answered.id}#end`, input: { type: 'run_end', data: { outcome: 'done' } } });
    answered = null;
  };
  for (const row of rows) {
    const line = rowNumber(row);
    const at = { id: textOrNull(row.id) ?? `line-${line}`, line, time: readTime(row.timestamp) };
    const content = typeof row.content === 'string' ? row.content : '';
    const model = textOrNull(row.model);
    const add = (suffix: string, input: EntryInput): number => sink.add({ ...at, id: `${at.id}${suffix}`, input });
    if (row.role === 'user') {
      endTurn();
      calls = [];
      add('', { type: 'user_input', content, data: { mode, attachments: [] } });
      if (title === '') title = titleFrom(content);
    } else if (row.role === 'assistant') {
      answered = null;
      if (content !== '') add('', { type: 'assistant_output', content, model, data: { end: 'complete' } });
      calls = [...calls, ...takeCalls(row, at.id, (suffix, input) => add(suffix, { ...input, model }))];
      if (content !== '' && calls.length === 0) answered = at;
    } else if (row.role === 'tool' && row.tool_name === '__ui__') {
      sink.leaveOut('ui');
    } else if (row.role === 'tool') {
      answered = null;
      takeResult(row, calls, at.id, add);
    } else if (row.role === 'system') add('', { type: 'system_message', content, data: { level: 'info', code: 'imported' } });
    else sink.issue(line, 'unknownForm');
  }
  endTurn();
  return title;
}

type Add<T extends EntryInput = EntryInput> = (suffix: string, input: T) => number;

function takeCalls({ tool_calls: text }: Row, id: string, add: Add<Extract<EntryInput, { type: 'tool_call' }>>): Call[] {
  const list = parsedJson(text);
  const calls: Call[] = [];
  for (const [index, item] of (Array.isArray(list) ? list : []).entries()) {
    const call: unknown = isRecord(item) ? item.function : undefined;
    if (!isRecord(call) || typeof call.name !== 'string') continue;
    const callId = `${id}#call${index + 1}`;
    const given = typeof call.arguments === 'string' ? parsedJson(call.arguments) : call.arguments;
    add(`#call${index + 1}`, { type: 'tool_call', data: { callId, name: call.name, input: isRecord(given) ? given : {} } });
    calls.push({ id: callId, name: call.name });
  }
  return calls;
}

/** Adds a tool result to the first open call of that tool. If there is no open call, adds a call. */
function takeResult(row: Row, calls: Call[], id: string, add: Add): void {
  const name = textOrNull(row.tool_name) ?? 'unknown';
  const index = calls.findIndex((call) => call.name === name);
  const [call] = index < 0 ? [] : calls.splice(index, 1);
  if (call === undefined) {
    const input = parsedJson(row.tool_input);
    const label = textOrNull(row.progress_title);
    const data = { callId: `${id}#call`, name, input: isRecord(input) ? input : {}, ...(label !== null && { label }) };
    add('#call', { type: 'tool_call', data });
  }
  const content = textOrNull(row.tool_output) ?? textOrNull(row.content) ?? '';
  add('', { type: 'tool_result', content, data: { callId: call?.id ?? `${id}#call`, name, status: 'success' } });
}
