import type { Entry } from '../../protocol/entries';

/** Event for clients. `idx` counts the entries of a dialog from 0. */
export type ApiEvent = { type: string; idx: number } & Record<string, unknown>;

/**
 * Converts an entry to an event. Returns null if clients do not receive it. `workSession` is the work session of the entry's
 * checkpoint. `absolute` converts a path in the conversation to an absolute path.
 */
export function toApiEvent(entry: Entry, workSession: string | null, absolute: (shown: string) => string): ApiEvent | null {
  const base = { idx: entry.seq - 1 };
  const { content } = entry;
  switch (entry.type) {
    case 'user_input':
      return { type: 'user', content, checkpoint: entry.checkpointId, session: workSession, ...base };
    case 'assistant_output':
      if (entry.data.isThinking === true) return { type: 'reasoning', content, ...base };
      return { type: 'chat', content, ...base, ...(entry.data.end !== undefined && { end: entry.data.end }) };
    case 'thinking':
      return { type: 'reasoning', content, ...base };
    case 'tool_call': {
      const { callId, name, input } = entry.data;
      return { type: 'tool_call', id: callId, name, args: input, status: 'running', ...base };
    }
    case 'tool_result': {
      const { callId, name, status, todos } = entry.data;
      return { type: 'tool_call', id: callId, name, status, result: content, ...base, ...(todos !== undefined && { todos }) };
    }
    case 'plan':
      return { type: 'plan', plan: entry.data.planId, items: entry.data.items, ...base };
    case 'file_edit': {
      const { path, newPath, operation, diff, additions, deletions } = entry.data;
      const moved = newPath === undefined ? {} : { new_file: absolute(newPath) };
      return { type: 'file_edit', file: absolute(path), ...moved, path, diff, operation, additions, deletions, ...base };
    }
    case 'approval': {
      const { approvalId, callId, phase, kind, ...details } = entry.data;
      return { type: 'approval', approval: approvalId, call_id: callId, phase, kind, ...details, ...base };
    }
    case 'question': {
      const { questionId, callId, phase, options, fields, outcome } = entry.data;
      return { type: 'question', question: questionId, call_id: callId, phase, content, options, fields, outcome, ...base };
    }
    case 'review':
      return { type: 'review', action: entry.data.action, scope: entry.data.scope, paths: entry.data.paths, ...base };
    case 'restore': {
      const { targetCheckpointId, paths, operationId, undoes, left, uncovered, fromSeq } = entry.data;
      const undone = fromSeq === undefined ? {} : { from_idx: fromSeq - 1 };
      return {
        type: 'restore',
        restored_to: targetCheckpointId,
        paths,
        operation: operationId,
        undoes,
        left,
        uncovered,
        ...undone,
        ...base,
      };
    }
    case 'turns_kept':
      return { type: 'turns_kept', restore_idx: entry.data.restoreSeq - 1, ...base };
    case 'checkpoint': {
      const { command } = entry.data;
      return command === undefined
        ? null
        : { type: 'command', call_id: command.callId, files: command.files, count: command.count, ...base };
    }
    case 'error':
      return { type: 'error', error: content, code: entry.data.code, ...base };
    case 'run_end':
      return { type: 'done', outcome: entry.data.outcome, ...base };
    default:
      return null;
  }
}

/** Returns true if the text of an entry is streamed. */
export function isStreamed({ type }: Entry): boolean {
  return type === 'assistant_output' || type === 'thinking';
}
