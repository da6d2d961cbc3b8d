import type { ToolAction } from '../../../protocol/timeline';
import { callTarget } from './groupTitle';

/** Returns the rows of a group of calls. Joins successful edits of one file into one row at the position of the first edit. */
export function toToolRows(actions: readonly ToolAction[]): ToolAction[] {
  const rows: ToolAction[] = [];
  const indexes = new Map<string, number>();
  for (const action of actions) {
    const place = callTarget(action);
    const isDone = action.state === 'done' && action.edits.length > 0;
    const index = isDone ? indexes.get(place) : undefined;
    const row = index === undefined ? undefined : rows[index];
    if (index !== undefined && row !== undefined)
      rows[index] = { ...row, result: joinedResult(row.result, action.result), edits: [...row.edits, ...action.edits] };
    else rows.push(action);
    if (isDone && index === undefined) indexes.set(place, rows.length - 1);
  }
  return rows;
}

/** Returns the later result with the corrections of both edits. */
function joinedResult(earlier: ToolAction['result'], later: ToolAction['result']): ToolAction['result'] {
  const corrected = [...new Set([earlier, later].map((result) => result?.details['corrected']))].filter(
    (text) => text !== undefined,
  );
  return later === null || corrected.length === 0
    ? later
    : { ...later, details: { ...later.details, corrected: corrected.join('; ') } };
}
