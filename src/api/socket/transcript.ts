import type { Entry, EntryOf, EntryType } from '../../protocol/entries';
import type { SessionRecord } from '../../types/session';
import type { DialogState } from '../http/dialogState';
import { toSystemMessage } from './systemMessage';

/** Converts sessions, entries and restore points to the format of code sessions. */

export const transcriptTypes = [
  'user_input',
  'assistant_output',
  'tool_call',
  'tool_result',
  'file_edit',
  'compact_marker',
  'system_message',
] as const;

/** Entry types that a transcript uses. Other entries become `system_message`. */
const own: ReadonlySet<string> = new Set(transcriptTypes.filter((type) => type !== 'system_message'));

const others: readonly EntryType[] = [
  'system_message',
  'error',
  'plan',
  'question',
  'approval',
  'review',
  'restore',
  'run_end',
  'thinking',
  'checkpoint',
  'subagent_step',
  'turns_kept',
  'compact_undone',
  'rewind',
];

export function entryTypes(types: readonly string[]): EntryType[] {
  return types.flatMap((type) => (type === 'system_message' ? others : [type as EntryType]));
}

export function toSession({ id, project_path, created_at, updated_at }: SessionRecord, state: DialogState) {
  return {
    id,
    projectPath: project_path ?? '',
    status: statuses[state],
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  };
}

const statuses: Record<DialogState, 'running' | 'waiting_input' | 'paused' | 'stopped'> = {
  idle: 'stopped',
  running: 'running',
  queued: 'running',
  waiting_for_approval: 'waiting_input',
  interrupted: 'paused',
};

/** Calls and results of a transcript, by the ID of the call. */
export interface TranscriptCalls {
  calls: ReadonlyMap<string, EntryOf<'tool_call'>>;
  results: ReadonlyMap<string, EntryOf<'tool_result'>>;
}

export function toTranscriptEntry(entry: Entry, related: TranscriptCalls, isCompacted = false): Record<string, unknown> {
  const { id, sessionId, type, content, timestamp, seq, checkpointId, planItemId } = entry;
  return {
    id,
    sessionId,
    type: own.has(type) ? type : 'system_message',
    content,
    timestamp: new Date(timestamp).toISOString(),
    seq,
    ...collectDetails(entry, related),
    ...(checkpointId !== null && { restorePointId: checkpointId }),
    ...(planItemId !== null && { planItemId }),
    isCompacted,
  };
}

function collectDetails(entry: Entry, { calls, results }: TranscriptCalls): Record<string, unknown> {
  switch (entry.type) {
    case 'tool_call':
    case 'tool_result': {
      const { callId, name } = entry.data;
      const call = entry.type === 'tool_call' ? entry : calls.get(callId);
      const result = entry.type === 'tool_result' ? entry : results.get(callId);
      return { toolCallData: { id: callId, name, input: call?.data.input ?? {}, ...describeOutcome(result) } };
    }
    case 'file_edit': {
      const { path, operation, diff, beforeHash, afterHash, additions, deletions } = entry.data;
      const hashes = { ...(beforeHash !== null && { beforeHash }), ...(afterHash !== null && { afterHash }) };
      return { fileEditData: { path, operation, diff, ...hashes, additions, deletions } };
    }
    case 'compact_marker':
      return { compactData: { compactedCount: entry.data.compactedCount, summary: entry.data.summary } };
    default:
      return own.has(entry.type) || entry.type === 'thinking' ? {} : toSystemMessage(entry);
  }
}

function describeOutcome(result: EntryOf<'tool_result'> | undefined): Record<string, unknown> {
  if (result === undefined) return { status: 'running' };
  const { status, durationMs } = result.data;
  const duration = durationMs === undefined ? {} : { duration: durationMs };
  return { output: result.content, status: status === 'success' ? 'success' : 'error', ...duration };
}
