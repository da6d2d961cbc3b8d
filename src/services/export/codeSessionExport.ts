import type { Entry, EntryOf } from '../../protocol/entries';
import type { ExportedHead } from '../../protocol/exportedSession';

type LineType =
  'user_input' | 'assistant_output' | 'tool_call' | 'tool_result' | 'file_edit' | 'compact_marker' | 'system_message';

export function toSessionFile({ createdAt, updatedAt, projectPath, ...head }: ExportedHead): string {
  const times = { createdAt: formatIso(createdAt), updatedAt: formatIso(updatedAt) };
  return `${JSON.stringify({ ...head, projectPath: projectPath ?? '', status: 'stopped', ...times }, null, 2)}\n`;
}

/**
 * Serializes the `transcript.jsonl` of a code session, with one entry per line. Each line also contains the whole entry as
 * `ollamaCopilot`, so that an import loses nothing. Other programs ignore this field.
 */
export function* toTranscript(entries: readonly Entry[]): Generator<string, void> {
  const results = new Map<string, EntryOf<'tool_result'>>();
  let compactedThrough = 0;
  for (const entry of entries) {
    if (entry.type === 'tool_result') results.set(entry.data.callId, entry);
    if (entry.type === 'compact_marker') compactedThrough = entry.data.throughSeq;
  }
  for (const entry of entries) {
    const { id, sessionId, content, timestamp, planItemId, checkpointId, seq } = entry;
    const line = {
      id,
      sessionId,
      type: lineType(entry),
      content,
      timestamp: formatIso(timestamp),
      ...details(entry, results),
      ...(planItemId !== null && { planItemId }),
      ...(checkpointId !== null && { restorePointId: checkpointId }),
      ...(seq <= compactedThrough && { isCompacted: true }),
      ollamaCopilot: entry,
    };
    yield `${JSON.stringify(line)}\n`;
  }
}

/** Returns the transcript type of an entry. */
export function lineType({ type }: Entry): LineType {
  switch (type) {
    case 'user_input':
    case 'assistant_output':
    case 'tool_call':
    case 'tool_result':
    case 'file_edit':
    case 'compact_marker':
      return type;
    default:
      return 'system_message';
  }
}

function details(entry: Entry, results: ReadonlyMap<string, EntryOf<'tool_result'>>): Record<string, unknown> {
  switch (entry.type) {
    case 'tool_call': {
      const { name, input, callId } = entry.data;
      return { toolCall: { name, input, ...describeOutcome(results.get(callId)) } };
    }
    case 'tool_result':
      return { toolCall: { name: entry.data.name, input: {}, ...describeOutcome(entry) } };
    case 'file_edit': {
      const { path, operation, diff, beforeHash, afterHash, additions, deletions } = entry.data;
      const hashes = { ...(beforeHash !== null && { beforeHash }), ...(afterHash !== null && { afterHash }) };
      return { fileEdit: { path, operation, diff, ...hashes, additions, deletions } };
    }
    case 'compact_marker':
      return { compactMarker: { compactedCount: entry.data.compactedCount, summary: entry.data.summary } };
    default:
      return {};
  }
}

function describeOutcome(result: EntryOf<'tool_result'> | undefined): Record<string, unknown> {
  if (result === undefined) return { status: 'running' };
  const { status, durationMs } = result.data;
  const duration = durationMs === undefined ? {} : { duration: durationMs };
  return { status: status === 'success' ? 'success' : 'error', output: result.content, ...duration };
}

function formatIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
