import { isContinuation } from '../continuation';
import type { Entry } from '../entries';
import type { Turn } from '../timeline';
import { messageTime } from './messageTime';
import { reduceBlocks } from './timelineBlocks';
import { planTodos } from '../plan';
import { isSteered } from '../steering';
import type { Todo } from '../todos';
import type { TurnOptions } from './turnOptions';

export function splitTurns(entries: readonly Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  for (const entry of entries) {
    const last = turns[turns.length - 1];
    // The checkpoint before the first message does not belong to a turn.
    if (entry.type === 'checkpoint' && last === undefined) continue;
    if (entry.type === 'checkpoint' && entry.data.command !== undefined) {
      (turnOfCall(turns, entry.data.command.callId) ?? last)?.push(entry);
      continue;
    }
    if (entry.type === 'user_input' || last === undefined) turns.push([entry]);
    else last.push(entry);
  }
  return turns;
}

/** Finds the turn of a call. Changes made by a background command belong to this turn, even if later messages exist. */
function turnOfCall(turns: Entry[][], callId: string): Entry[] | undefined {
  return turns.findLast((turn) => turn.some((entry) => entry.type === 'tool_call' && entry.data.callId === callId));
}

/** Builds a turn from its own entries and the given options. */
export function reduceTurn(entries: readonly Entry[], options: TurnOptions): Turn {
  const { isLive, undoneBy, replaced } = options;
  const first = entries[0] as Entry;
  const answer = entries.findLast((entry) => entry.type === 'assistant_output');
  const started = entries.some((entry) => entry.type !== 'user_input');
  return {
    seq: first.seq,
    user:
      first.type === 'user_input'
        ? {
            text: first.content,
            mode: first.data.mode,
            attachments: first.data.attachments,
            timestamp: messageTime(first),
            checkpointId: replaced === null ? first.checkpointId : replaced.checkpointId,
            ...(replaced !== null && replaced.paths.length > 0 && undoneBy === null && { leftPaths: replaced.paths }),
          }
        : null,
    blocks: reduceBlocks(entries, options),
    model: entries.findLast(({ model }) => model)?.model ?? null,
    stats: answer?.data.stats ?? null,
    todos: lastTodos(entries),
    outcome: isLive ? 'running' : (lastOutcome(entries) ?? (first.type === 'user_input' || started ? 'interrupted' : 'done')),
    timestamp: first.timestamp,
    ...(undoneBy !== null && { undoneBy }),
  };
}

/** Returns the outcome of the last run, or null if it has no `run_end` entry. */
function lastOutcome(entries: readonly Entry[]): Turn['outcome'] | null {
  // The run continues with the next message.
  if (entries.some(isSteered)) return 'done';
  const index = entries.findLastIndex(({ type }) => type === 'run_end');
  const end = entries[index];
  if (end?.type !== 'run_end') return null;
  return entries.slice(index + 1).some(isOfRun) ? null : end.data.outcome;
}

function isOfRun(entry: Entry): boolean {
  switch (entry.type) {
    case 'thinking':
    case 'assistant_output':
    case 'tool_call':
    case 'error':
      return true;
    default:
      return isContinuation(entry);
  }
}

function lastTodos(entries: readonly Entry[]): Todo[] | null {
  const last = entries.findLast((entry) => entry.type === 'tool_result' && entry.data.todos !== undefined);
  if (last?.type === 'tool_result') return last.data.todos ?? null;
  const first = entries[0];
  const plan = first?.type === 'user_input' ? first.data.plan : undefined;
  return plan ? planTodos({ ...plan, done: new Set() }) : null;
}
