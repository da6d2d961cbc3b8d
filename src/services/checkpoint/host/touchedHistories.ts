import type { Entry } from '../../../protocol/entries';
import { readOnlyCommand } from '../../terminal/judge/readOnlyCommands';
import type { UncoveredPaths } from '../engine/restore/uncovered';

/** Matches Git commands that change commits, branches or the stash. Options of Git itself may come before the command. */
const changing =
  /\bgit(?:\s+-\S+(?:\s+[^-\s]\S*)?)*?\s+(?:am|bisect|branch|checkout|cherry-pick|commit|commit-tree|fast-import|fetch|filter-branch|filter-repo|gc|init|merge|notes|prune|pull|rebase|reflog|replace|reset|revert|stash|switch|symbolic-ref|tag|update-ref|worktree)\b/;

interface SessionLog {
  read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[] }>;
}

/** Omits existing Git histories if no command of the session can have changed a history. Deleted histories remain in the result. */
export async function withTouchedHistories(
  uncovered: UncoveredPaths,
  sessionId: string,
  log: SessionLog,
): Promise<UncoveredPaths> {
  if (uncovered.histories.every(({ isGone }) => isGone)) return uncovered;
  const { entries } = await log.read(sessionId, 0);
  if (hasGitCommand(entries)) return uncovered;
  return { ...uncovered, histories: uncovered.histories.filter(({ isGone }) => isGone) };
}

function hasGitCommand(entries: readonly Entry[]): boolean {
  const skipped = new Set(
    entries.flatMap((entry) => (entry.type === 'tool_result' && entry.data.status === 'denied' ? [entry.data.callId] : [])),
  );
  return entries.some((entry) => {
    if (entry.type !== 'tool_call' || skipped.has(entry.data.callId)) return false;
    const { command } = entry.data.input;
    return typeof command === 'string' && command.split(/[;&|\n]+/).some(changesGit);
  });
}

function changesGit(part: string): boolean {
  return changing.test(part) && readOnlyCommand(part.trim()) === null;
}
