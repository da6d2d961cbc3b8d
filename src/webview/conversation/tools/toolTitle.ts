import type { ToolAction, ToolState } from '../../../protocol/timeline';
import { factsOf } from '../../../protocol/oldTools';
import type { ToolFacts, ToolFamily, ToolTitles } from '../../../protocol/toolFacts';
import { translatable } from '../../../types/texts';
import { t, translated } from '../../translate';
import { oneLine } from '../../common/texts/oneLine';
import { fileOf } from './toolFile';

/** Returns the title of a group of tool calls: what was done, is being done, was to be done. Calls on files are counted by file. */
export function groupTitle(family: ToolFamily, actions: readonly ToolAction[], state: ToolState): string {
  const count = family === 'read' || family === 'edit' ? new Set(actions.map(placeOf)).size : actions.length;
  const [first] = actions;
  if (first !== undefined && count === 1) return actionTitle(mainOf(actions) ?? first);
  const isRunning = isUnfinished(state);
  const several = severalOf(actions);
  if (several !== undefined) return translated(isRunning ? several.running : several.done, count);
  switch (family) {
    case 'read':
      return isRunning ? t('Reading {0} files', count) : t('Read {0} files', count);
    case 'edit':
      return isRunning ? t('Changing {0} files', count) : t('Changed {0} files', count);
    case 'search':
      return isRunning ? t('Searching {0} times', count) : t('Searched {0} times', count);
    case 'command':
      return isRunning ? t('Running {0} commands', count) : t('Ran {0} commands', count);
    case 'other':
      return isRunning ? t('Using {0} tools', count) : t('Used {0} tools', count);
  }
}

/** Returns the file that a call is about; the call itself if it is about none. */
export function placeOf(action: ToolAction): string {
  return isFile(factsOf(action).about) ? (fileOf(action)?.path ?? subjectOf(action)) : action.callId;
}

/** Returns the call that the title of several calls on one file is about: the one at work, else one that succeeded. */
function mainOf(actions: readonly ToolAction[]): ToolAction | undefined {
  return actions.find(({ state }) => isUnfinished(state)) ?? actions.find(({ state }) => state === 'done') ?? actions.at(-1);
}

function isUnfinished(state: ToolState): boolean {
  return state === 'running' || state === 'waiting for approval';
}

/** Returns the title of calls that all have the same. */
function severalOf(actions: readonly ToolAction[]): ToolFacts['several'] {
  const [first, ...others] = actions.map((action) => factsOf(action).several);
  return others.every((other) => other?.done === first?.done && other?.running === first?.running) ? first : undefined;
}

const used: ToolTitles = translatable({
  done: 'Used {0}',
  running: 'Using {0}',
  planned: 'Use {0}',
  failed: 'Could not use {0}',
  stopped: 'Did not use {0}',
});

function actionTitle(action: ToolAction): string {
  const { titles, about } = factsOf(action);
  const text = textFor(action, titles ?? used);
  if (titles && about?.to !== undefined) {
    return translated(text, ...endsOf(action, about.argument, about.to).map((path) => oneLine(baseName(path))));
  }
  const subject = titles ? subjectOf(action) : action.name;
  return translated(text, oneLine(isFile(about) ? baseName(subject) : subject));
}

/** Returns the old and the new name of a file; the label has both, however the model named the arguments. */
function endsOf({ input, label }: ToolAction, argument: string, toArgument: string): [string, string] {
  const [from, to] = label?.split(' → ') ?? [];
  return [from ?? textOr(input[argument], '…'), to ?? textOr(input[toArgument], '…')];
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' ? value : other;
}

function textFor({ state, result, isNotRun }: ToolAction, titles: ToolTitles): string {
  const isOfBackground = result?.details['background'] !== undefined;
  switch (state) {
    case 'running':
      return titles.running;
    case 'waiting for approval':
      return titles.planned;
    case 'failed':
      // A command that ended badly has been read all the same.
      return isOfBackground ? titles.done : titles.failed;
    case 'cancelled':
      return isNotRun === true ? (titles.denied ?? titles.stopped) : titles.stopped;
    case 'denied':
      return titles.denied ?? titles.stopped;
    case 'done':
      // Not where it turned out to end at once.
      return isOfBackground && result?.details['exitCode'] === undefined ? (titles.started ?? titles.done) : titles.done;
  }
}

/** Tells in one line what a call is about: its label, else the first of its arguments that says it. */
export function subjectOf(action: ToolAction): string {
  const { about } = factsOf(action);
  const given = about && action.input[about.argument];
  if (isFile(about) && typeof given === 'string') return given;
  if (about?.kind === 'place' && isWorkspace(given)) return t('the workspace');
  if (action.label !== null) return action.label;
  const { path, command, query, pattern, task } = action.input;
  return [path, command, query, pattern, task].find((value) => typeof value === 'string') ?? action.name;
}

/** Tells whether a place is the whole workspace: none is named, or its root. */
function isWorkspace(path: unknown): boolean {
  return path === undefined || path === null || (typeof path === 'string' && /^\s*\.?[/\\]*\s*$/.test(path));
}

function isFile(about: ToolFacts['about']): boolean {
  return about?.kind === 'file' || about?.kind === 'removedFile';
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).pop() ?? path;
}

/** Returns the state in words, for those who do not see its icon. */
export function stateText(state: ToolState): string {
  switch (state) {
    case 'running':
      return t('running');
    case 'waiting for approval':
      return t('waiting for approval');
    case 'failed':
      return t('failed');
    case 'cancelled':
      return t('cancelled');
    case 'denied':
      return t('skipped');
    case 'done':
      return t('done');
  }
}

/** Returns what is worth saying beside the subject; that a command went well is not. */
export function remarkOf(action: ToolAction): string | null {
  if (action.state === 'done' && factsOf(action).isSummaryInTitle === true) return null;
  const corrected = action.result?.details['corrected'];
  if (typeof corrected === 'string') return corrected;
  if (action.state === 'denied' || (action.state === 'done' && action.edits.length > 0)) return null;
  // A run that ends writes a result for each call, unless its window closes first.
  if (action.isNotRun === true && action.result === null) return t('the window closed');
  const summary = action.result?.details['exitCode'] === 0 ? null : (action.result?.summary ?? null);
  // Its programs and variables may be others than those of the terminal.
  const shell = action.result?.details['shell'];
  const place = typeof shell === 'string' ? t('background shell ({0})', shell) : null;
  return [summary, place].filter((part) => part !== null).join(' · ') || null;
}
