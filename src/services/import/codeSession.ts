import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { EntryInput } from '../../protocol/entries';
import type { SessionStatus } from '../../types/session';
import { messageOf } from '../../utils/errors';
import { ExportedLog } from './exportedSession';
import { describedHead, type ImportedEntry, type ImportedHead, type ImportSink, type ImportSource } from './importedEntry';
import { readCount, textOrNull, readTime, titleFrom } from './importedValues';
import { readJsonLines } from './jsonLines';
import { skippedData } from './skippedData';
import type { RestorePoints } from './restorePoints';
import { isRecord } from '../../utils/json';
import { readableText } from '../../utils/text/textFile';

export const sessionFileName = 'session.json';
export const transcriptFileName = 'transcript.jsonl';

/** Maximum size of `session.json` in bytes, because the file is read into memory. */
const maxSessionBytes = 1_000_000;

const statuses: Readonly<Record<string, SessionStatus>> = {
  starting: 'generating',
  running: 'generating',
  stopped: 'idle',
  waiting_input: 'waiting_input',
  paused: 'paused',
  idle: 'idle',
  generating: 'generating',
  error: 'error',
};

/**
 * Creates the source for a folder with `session.json` and `transcript.jsonl`.
 * `isDescribed` is true if `session.json` describes a session.
 */
export function codeSessionSource(folder: string, points: RestorePoints): ImportSource & { isDescribed: boolean } {
  const transcript = path.join(folder, transcriptFileName);
  const found = readSession(folder);
  const id = textOrNull(found.session.id) ?? path.basename(folder);
  const size = readSize(transcript);
  const given = selectRestorePoints(found.session.projectPath, points);
  return {
    format: 'codeSession',
    place: folder,
    file: transcript,
    id,
    size: size ?? 0,
    isDescribed: typeof found.session.projectPath === 'string',
    ...given,
    read: (sink) => {
      if (found.problem !== null) sink.issue(null, 'noSession', found.problem);
      for (const kind of skippedData(found.session)) sink.leaveOut(kind);
      const reader = new TranscriptReader(sink, id, createCheckpointFinder({ id, ...given }, sink, points));
      if (size === null) sink.issue(null, 'noTranscript');
      else reader.read(transcript);
      return readSessionHead(found.session, reader.title, sink);
    },
  };
}

/** Returns the restore points of a session. They can only be imported if the session has a project folder. */
export function selectRestorePoints(projectPath: unknown, from: RestorePoints): Pick<ImportSource, 'restorePoints'> {
  return typeof projectPath === 'string' && path.isAbsolute(projectPath) ? { restorePoints: { root: projectPath, from } } : {};
}

/** Returns a function that finds the checkpoint of an entry by the entry's id or its restore point. */
export function createCheckpointFinder(
  { id: sessionId, restorePoints }: Pick<ImportSource, 'id' | 'restorePoints'>,
  sink: ImportSink,
  all: RestorePoints,
): (entryId: string, named: string | null) => string | null {
  if (restorePoints === undefined && all.hasAny(sessionId)) sink.issue(null, 'noRoot');
  return (entryId, named) => restorePoints?.from.findCheckpoint(sessionId, entryId, named) ?? null;
}

/** Reads the session fields from a row of `sessions` or from `session.json`. Reports an unknown status. */
export function readSessionHead(session: Record<string, unknown>, title: string, sink: ImportSink): ImportedHead {
  const given = textOrNull(session.status) ?? 'idle';
  const status = Object.hasOwn(statuses, given) ? statuses[given] : undefined;
  if (status === undefined) sink.issue(null, 'unknownStatus', given);
  return { ...describedHead(session, title), status: status ?? 'idle' };
}

interface PendingCall {
  entry: ImportedEntry;
  name: string;
  isCompacted: boolean;
  result: Extract<EntryInput, { type: 'tool_result' }> | null;
  details: { status: 'success' | 'error'; durationMs?: number };
}

/** Reads the entries of a transcript in order. The result of a call may be in the call, in a separate entry, or in both. */
export class TranscriptReader {
  title = '';
  private readonly calls: PendingCall[] = [];
  private answered: ImportedEntry | null = null;
  /** `seq` of the last compacted entry since the last summary, and the number of these entries. */
  private compactedThrough = 0;
  private compactedCount = 0;
  /** Adds lines that this product has exported. */
  private readonly exported: ExportedLog;

  constructor(
    private readonly sink: ImportSink,
    private readonly sessionId: string,
    private readonly checkpointOf: ReturnType<typeof createCheckpointFinder>,
  ) {
    this.exported = new ExportedLog(sink);
  }

  read(file: string): void {
    for (const line of readJsonLines(file, (bytes) => this.sink.onRead(bytes))) {
      if ('problem' in line) this.sink.issue(line.number, line.problem);
      else if (isRecord(line.value)) this.take(line.value, line.number);
      else this.sink.issue(line.number, 'unknownForm');
    }
    this.finish();
  }

  take(value: Record<string, unknown>, line: number): void {
    if (value.sessionId !== undefined && value.sessionId !== this.sessionId) {
      this.sink.issue(line, 'otherSession');
      return;
    }
    if (isRecord(value.ollamaCopilot)) {
      this.exported.add(value.ollamaCopilot, line);
      return;
    }
    const id = textOrNull(value.id) ?? `line-${line}`;
    const input = readEntry({ ...value, id }, this.sink.lastSeq);
    if (input === null || typeof value.content !== 'string') {
      this.sink.issue(line, 'unknownForm');
      return;
    }
    const restorePointId = textOrNull(value.restorePointId);
    const checkpointId = this.checkpointOf(id, restorePointId);
    if (restorePointId !== null && checkpointId === null) this.sink.leaveOut('restorePoint');
    const links = { planItemId: textOrNull(value.planItemId), checkpointId };
    const entry = { id, line, time: readTime(value.timestamp), input: { ...input, ...links } };
    if (entry.input.type === 'tool_result') this.addResult(entry, value);
    else this.add(entry, value);
  }

  /** Ends open calls and the last turn. */
  finish(): void {
    this.flushCalls();
    this.endTurn();
    // No summary followed that could replace these entries.
    for (; this.compactedCount > 0; this.compactedCount -= 1) this.sink.leaveOut('compacted');
  }

  private add(entry: ImportedEntry, value: Record<string, unknown>): void {
    const { type } = entry.input;
    if (type !== 'tool_call' && type !== 'file_edit') this.flushCalls();
    if (type === 'user_input') {
      this.endTurn();
      this.title = this.title === '' ? titleFrom(String(entry.input.content)) : this.title;
    }
    this.answered = type === 'assistant_output' ? entry : type === 'system_message' ? this.answered : null;
    // A rewind or a summary refers to the entry before it. Pending results may have been added after `input` was created, so
    // create it again.
    const marker = entry.input.type === 'compact_marker' ? readEntry(value, this.compactedThrough || this.sink.lastSeq) : null;
    const { planItemId = null, checkpointId = null } = entry.input;
    const taken = this.sink.add(marker === null ? entry : { ...entry, input: { ...marker, planItemId, checkpointId } });
    if (taken > 0) this.noteCompacted(taken, value, marker !== null);
    if (taken > 0 && entry.input.type === 'tool_call') this.calls.push(pendingCall(entry, entry.input.data.name, value));
  }

  private addResult(entry: ImportedEntry, value: Record<string, unknown>): void {
    const named = isRecord(value.toolCall) ? textOrNull(value.toolCall.name) : null;
    const at = Math.max(0, named === null ? 0 : this.calls.findIndex(({ name }) => name === named));
    const [call] = this.calls.splice(at, 1);
    const details = call?.details ?? { status: 'success' };
    const data = { callId: call?.entry.id ?? entry.id, name: call?.name ?? named ?? 'unknown', ...details };
    this.answered = null;
    const taken = this.sink.add({ ...entry, input: { ...entry.input, type: 'tool_result', data } });
    if (taken > 0) this.noteCompacted(taken, value, false);
  }

  private noteCompacted(seq: number, value: Record<string, unknown>, isMarker: boolean): void {
    if (isMarker) {
      this.compactedThrough = 0;
      this.compactedCount = 0;
    } else if (value.isCompacted === true) {
      this.compactedThrough = seq;
      this.compactedCount += 1;
    }
  }

  private flushCalls(): void {
    for (const { entry, isCompacted, result } of this.calls.splice(0)) {
      if (result === null) continue;
      const seq = this.sink.add({ ...entry, id: `${entry.id}#result`, input: result });
      if (isCompacted && seq > 0) this.compactedThrough = seq;
    }
  }

  private endTurn(): void {
    const last = this.answered;
    this.answered = null;
    if (last !== null) this.sink.add({ ...last, id: `${last.id}#end`, input: { type: 'run_end', data: { outcome: 'done' } } });
  }
}

function pendingCall(entry: ImportedEntry, name: string, value: Record<string, unknown>): PendingCall {
  const call = isRecord(value.toolCall) ? value.toolCall : {};
  const durationMs = readCount(call.duration);
  const status: 'success' | 'error' = call.status === 'error' ? 'error' : 'success';
  const details = { status, ...(durationMs !== undefined && { durationMs }) };
  const isDone = call.output !== undefined || call.status === 'success' || call.status === 'error';
  const content = typeof call.output === 'string' ? call.output : (JSON.stringify(call.output) ?? '');
  const result = { type: 'tool_result' as const, content, data: { callId: entry.id, name, ...details } };
  return { entry, name, details, isCompacted: value.isCompacted === true, result: isDone ? result : null };
}

/** Returns the entry of a value. Returns null for an unknown format. */
function readEntry(value: Record<string, unknown>, throughSeq: number): EntryInput | null {
  const content = typeof value.content === 'string' ? value.content : '';
  switch (value.type) {
    case 'user_input':
      return { type: 'user_input', content, data: { mode: 'agent', attachments: [] } };
    case 'assistant_output':
      return { type: 'assistant_output', content, data: { end: 'complete' } };
    case 'tool_call':
      return readCall(value, content);
    case 'tool_result':
      return { type: 'tool_result', content, data: { callId: '', name: 'unknown', status: 'success' } };
    case 'file_edit':
      return readEdit(value.fileEdit, content);
    case 'compact_marker': {
      const marker = isRecord(value.compactMarker) ? value.compactMarker : {};
      const summary = textOrNull(marker.summary) ?? content;
      return {
        type: 'compact_marker',
        content: summary,
        data: { compactedCount: readCount(marker.compactedCount) ?? 0, throughSeq, summary },
      };
    }
    case 'system_message':
      return { type: 'system_message', content, data: { level: 'info', code: 'imported' } };
    default:
      return null;
  }
}

function readCall({ id, toolCall }: Record<string, unknown>, content: string): EntryInput | null {
  if (!isRecord(toolCall) || typeof toolCall.name !== 'string') return null;
  const input = isRecord(toolCall.input) ? toolCall.input : {};
  const label = content === '' || content === toolCall.name ? {} : { label: content };
  return { type: 'tool_call', data: { callId: String(id), name: toolCall.name, input, ...label } };
}

function readEdit(edit: unknown, content: string): EntryInput | null {
  if (!isRecord(edit) || typeof edit.path !== 'string') return null;
  const operation = (['create', 'modify', 'delete', 'rename'] as const).find((one) => one === edit.operation);
  if (operation === undefined) return null;
  const diff = textOrNull(edit.diff) ?? '';
  const lines = diff.split('\n');
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return {
    type: 'file_edit',
    content,
    data: {
      path: edit.path,
      operation,
      diff,
      beforeHash: textOrNull(edit.beforeHash),
      afterHash: textOrNull(edit.afterHash),
      additions: readCount(edit.additions) ?? count('+'),
      deletions: readCount(edit.deletions) ?? count('-'),
    },
  };
}

function readSession(folder: string): { session: Record<string, unknown>; problem: string | null } {
  const file = path.join(folder, sessionFileName);
  try {
    if (statSync(file).size > maxSessionBytes) return { session: {}, problem: 'too long' };
    const session: unknown = JSON.parse(readableText(readFileSync(file)) ?? '');
    return isRecord(session) ? { session, problem: null } : { session: {}, problem: 'no object' };
  } catch (error) {
    return { session: {}, problem: messageOf(error) };
  }
}

function readSize(file: string): number | null {
  try {
    return statSync(file).size;
  } catch {
    return null;
  }
}
