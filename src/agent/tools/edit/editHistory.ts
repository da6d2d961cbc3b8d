import type { Entry } from '../../../protocol/entries';
import { conversationOf } from '../../../protocol/reducer/timelineReducer';

/** Name of the tool that is offered once edits of a file have failed so many times in a row. */
export const lineEdits = 'replace_lines';
export const failuresUntilLineEdits = 3;

/** Outcome of the edits of a conversation, by the name of a file as the model is told it. */
export interface EditHistory {
  /** Returns how many edits of a file have failed in a row because their place was not found. */
  failures(path: string): number;
  /** Tells whether the model was shown lines of a file with their numbers, or read it, since it was last changed by a tool. */
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

/** Tells whether edits of a file have failed so often in a row, at any time in a conversation, that its lines may be replaced by number. */
export function needsLineEdits(entries: readonly Entry[]): boolean {
  return failuresIn(entries).most >= failuresUntilLineEdits;
}

/** Counts how many edits of each file have failed in a row by now, and how many of one file did at any time. */
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

/** The line at which reading begins is in the details of all that shows lines. */
function shows(entry: Entry, path: string): boolean {
  if (entry.type !== 'tool_result') return false;
  const { details } = entry.data;
  return details?.['path'] === path && typeof details['startLine'] === 'number';
}
