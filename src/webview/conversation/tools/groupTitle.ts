import type { ToolAction, ToolState } from '../../../protocol/timeline';
import { readFacts } from '../../../protocol/legacyTools';
import { actionTitle, isFile, formatSubject } from '../../../protocol/text/toolTitle';
import type { ToolFacts, ToolFamily } from '../../../protocol/toolFacts';
import { t, translated } from '../../translate';
import { findToolFile } from './toolFile';

/**
 * Returns the title of a group of tool calls in the given state. For calls on files, counts
 * each file once, and only if a call succeeded.
 */
export function groupTitle(family: ToolFamily, actions: readonly ToolAction[], state: ToolState): string {
  const total = countCalls(family, actions);
  const [first] = actions;
  if (first !== undefined && total === 1) return actionTitle(findMainCall(actions) ?? first, translated);
  const isRunning = isUnfinished(state);
  const did = countCalls(
    family,
    actions.filter((action) => action.state === 'done'),
  );
  const count = isRunning || did === total ? total : t('{0} of {1}', did, total);
  const several = findSeveral(actions);
  if (several !== undefined) return translated(isRunning ? several.running : several.done, count);
  switch (family) {
    case 'read':
      return isRunning ? t('Reading {0} files', count) : t('Read {0} files', count);
    case 'edit':
      return isRunning ? t('Changing {0} files', count) : t('Changed {0} files', count);
    case 'search':
      return isRunning ? t('Running {0} searches', count) : t('Searched {0} times', count);
    case 'command':
      return isRunning ? t('Running {0} commands', count) : t('Ran {0} commands', count);
    case 'other':
      return isRunning ? t('Using {0} tools', count) : t('Used {0} tools', count);
  }
}

function countCalls(family: ToolFamily, actions: readonly ToolAction[]): number {
  return family === 'read' || family === 'edit' ? new Set(actions.map(callTarget)).size : actions.length;
}

/** Returns the path of a call's file. Returns the ID of the call if it has no file. */
export function callTarget(action: ToolAction): string {
  return isFile(readFacts(action).about) ? (findToolFile(action)?.path ?? formatSubject(action, t)) : action.callId;
}

/** Returns the call that names a group of calls on one file: a running call, otherwise a successful one. */
function findMainCall(actions: readonly ToolAction[]): ToolAction | undefined {
  return actions.find(({ state }) => isUnfinished(state)) ?? actions.find(({ state }) => state === 'done') ?? actions.at(-1);
}

function isUnfinished(state: ToolState): boolean {
  return state === 'running' || state === 'queued' || state === 'waiting for approval';
}

/** Returns the group title if it is the same for all calls. */
function findSeveral(actions: readonly ToolAction[]): ToolFacts['several'] {
  const [first, ...others] = actions.map((action) => readFacts(action).several);
  return others.every((other) => other?.done === first?.done && other?.running === first?.running) ? first : undefined;
}
