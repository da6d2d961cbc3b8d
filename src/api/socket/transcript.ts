import type { Entry, EntryType } from '../../protocol/entries';
import type { SessionRecord } from '../../types/session';

/** Sessions, entries and restore points in the words of code sessions. */

export const transcriptTypes = [
  'user_input',
  'assistant_output',
  'tool_call',
  'tool_result',
  'file_edit',
  'compact_marker',
  'system_message',
] as const;

/** Entry types that such a transcript has; others are told as `system_message`. */
const own: ReadonlySet<string> = new Set(transcriptTypes.filter((type) => type !== 'system_message'));

/** Every type that is told as `system_message`. */
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
];

/** Returns the types of the log for types of a transcript. */
export function entryTypes(types: readonly string[]): EntryType[] {
  return types.flatMap((type) => (type === 'system_message' ? others : [type as EntryType]));
}

export function toSession({ id, project_path, status, created_at, updated_at }: SessionRecord) {
  return {
    ...{ id, projectPath: project_path ?? '', status: statusOf(status) },
    ...{ createdAt: new Date(created_at).toISOString(), updatedAt: new Date(updated_at).toISOString() },
  };
}

export function statusOf(status: SessionRecord['status']): 'running' | 'waiting_input' | 'paused' | 'stopped' {
  if (status === 'generating') return 'running';
  return status === 'waiting_input' || status === 'paused' ? status : 'stopped';
}

export function toTranscriptEntry(entry: Entry, isCompacted = false): Record<string, unknown> {
  const { id, sessionId, type, content, timestamp, seq, checkpointId, planItemId } = entry;
  return {
    ...{
      id,
      sessionId,
      type: own.has(type) ? type : 'system_message',
      content,
      timestamp: new Date(timestamp).toISOString(),
      seq,
    },
    ...detailsOf(entry),
    ...(checkpointId !== null && { restorePointId: checkpointId }),
    ...(planItemId !== null && { planItemId }),
    isCompacted,
  };
}

function detailsOf(entry: Entry): Record<string, unknown> {
  switch (entry.type) {
    case 'tool_call':
      return { toolCallData: { name: entry.data.name, input: entry.data.input, status: 'running' } };
    case 'tool_result': {
      const { name, status, durationMs } = entry.data;
      const duration = durationMs === undefined ? {} : { duration: durationMs };
      const outcome = status === 'success' ? 'success' : 'error';
      return { toolCallData: { name, input: {}, output: entry.content, status: outcome, ...duration } };
    }
    case 'file_edit': {
      const { path, operation, diff, beforeHash, afterHash, additions, deletions } = entry.data;
      const hashes = { ...(beforeHash !== null && { beforeHash }), ...(afterHash !== null && { afterHash }) };
      return { fileEditData: { path, operation, diff, ...hashes, additions, deletions } };
    }
    case 'compact_marker':
      return { compactData: { compactedCount: entry.data.compactedCount, summary: entry.data.summary } };
    default:
      return {};
  }
}
