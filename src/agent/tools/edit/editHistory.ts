import type { Entry } from '../../../protocol/entries';
import { selectConversation } from '../../../protocol/reducer/timelineReducer';

/** Tool that is offered after `failuresUntilLineEdits` consecutive failed edits to one file. */
export const lineEdits = 'replace_lines';
export const failuresUntilLineEdits = 3;

/** Outcomes of the edits in a conversation, by displayed path. */
export interface EditHistory {
  /** Returns the number of consecutive edits to a file that failed because their text was not found. */
  failures(path: string): number;
  /** Returns whether the model has seen numbered lines of a file since the last change by a tool. */
  hasSeenLines(path: string): boolean;
  /** True if the tool that replaces lines by number can be offered. */
  readonly hasLineEdits: boolean;
}

export function editHistory(entries: () => readonly Entry[], hasLineEdits: boolean): EditHistory {
  return {
    hasLineEdits,
    failures: (path) => failuresIn(entries()).now.get(path) ?? 0,
    hasSeenLines: (path) => {
      const last = selectConversation(entries()).findLast((entry) => shows(entry, path) || changes(entry, path));
      return last?.type === 'tool_result';
    },
  };
}

/** Returns whether enough consecutive edits to a file have failed to allow edits by line number. */
export function needsLineEdits(entries: readonly Entry[]): boolean {
  return failuresIn(entries).most >= failuresUntilLineEdits;
}

/** Counts the current consecutive failures of each file, and their maximum in the conversation. */
function failuresIn(entries: readonly Entry[]): { now: ReadonlyMap<string, number>; most: number } {
  const now = new Map<string, number>();
  let most = 0;
  for (const entry of selectConversation(entries)) {
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

/** Returns whether a result shows numbered lines of a file. The details of these results contain the start line. */
function shows(entry: Entry, path: string): boolean {
  if (entry.type !== 'tool_result') return false;
  const { details } = entry.data;
  return details?.['path'] === path && typeof details['startLine'] === 'number';
}
