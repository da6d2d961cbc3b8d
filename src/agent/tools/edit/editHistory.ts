import type { Entry } from '../../../protocol/entries';
import { conversationOf } from '../../../protocol/reducer/timelineReducer';

/** Tool that is offered after `failuresUntilLineEdits` consecutive failed edits of a file. */
export const lineEdits = 'replace_lines';
export const failuresUntilLineEdits = 3;

/** Outcomes of the edits in a conversation, by shown path. */
export interface EditHistory {
  /** Returns the number of consecutive edits of a file whose text was not found. */
  failures(path: string): number;
  /** Returns whether the model has seen numbered lines of a file since a tool last changed it. */
  hasSeenLines(path: string): boolean;
  /** True if the tool for lines can be offered. */
  readonly hasLineEdits: boolean;
}

export function editHistory(entries: () => readonly Entry[], hasLineEdits: boolean): EditHistory {
  return {
    hasLineEdits,
    failures: (path) => failuresIn(entries()).now.get(path) ?? 0,
    hasSeenLines: (path) => {
      const last = conversationOf(entries()).findLast((entry) => shows(entry, path) || changes(entry, path));
      return last?.type === 'tool_result';
    },
  };
}

/** Returns whether edits of any file failed so often in a row that lines may be replaced by number. */
export function needsLineEdits(entries: readonly Entry[]): boolean {
  return failuresIn(entries).most >= failuresUntilLineEdits;
}

/** Counts the current consecutive failures of each file, and the maximum of any file. */
function failuresIn(entries: readonly Entry[]): { now: ReadonlyMap<string, number>; most: number } {
  const now = new Map<string, number>();
  let most = 0;
  for (const entry of conversationOf(entries)) {
    for (const path of now.keys()) if (changes(entry, path)) now.delete(path);
    for (const path of filesNotFoundIn(entry)) {
      const count = (now.get(path) ?? 0) + 1;
      now.set(path, count);
      most = Math.max(most, count);
    }
  }
  return { now, most };
}

function filesNotFoundIn(entry: Entry): string[] {
  const files = entry.type === 'tool_result' ? entry.data.details?.['notFoundIn'] : undefined;
  return typeof files === 'string' ? files.split('\n') : [];
}

function changes(entry: Entry, path: string): boolean {
  return entry.type === 'file_edit' && (entry.data.path === path || entry.data.newPath === path);
}

/** Results that show lines have their start line in the details. */
function shows(entry: Entry, path: string): boolean {
  if (entry.type !== 'tool_result') return false;
  const { details } = entry.data;
  return details?.['path'] === path && typeof details['startLine'] === 'number';
}
