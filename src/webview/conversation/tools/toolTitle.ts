import type { ToolAction, ToolState } from '../../../protocol/timeline';
import { factsOf } from '../../../protocol/legacyTools';
import type { ToolFacts, ToolFamily, ToolTitles } from '../../../protocol/toolFacts';
import { translatable } from '../../../types/texts';
import { t, translated } from '../../translate';
import { oneLine } from '../../common/texts/oneLine';
import { fileOf } from './toolFile';

/**
 * Returns the title of a group of tool calls in the given state. For calls on files, counts
 * each file once, and only if a call succeeded.
 */
export function groupTitle(family: ToolFamily, actions: readonly ToolAction[], state: ToolState): string {
  const total = countOf(family, actions);
  const [first] = actions;
  if (first !== undefined && total === 1) return actionTitle(mainOf(actions) ?? first);
  const isRunning = isUnfinished(state);
  const did = countOf(
    family,
    actions.filter((action) => action.state === 'done'),
  );
  const count = isRunning || did === total ? total : t('{0} of {1}', did, total);
  const several = severalOf(actions);
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

function countOf(family: ToolFamily, actions: readonly ToolAction[]): number {
  return family === 'read' || family === 'edit' ? new Set(actions.map(placeOf)).size : actions.length;
}

/** Returns the path of a call's file. Returns the ID of the call if it has no file. */
export function placeOf(action: ToolAction): string {
  return isFile(factsOf(action).about) ? (fileOf(action)?.path ?? subjectOf(action)) : action.callId;
}

/** Returns the call that names a group of calls on one file: a running call, otherwise a successful one. */
function mainOf(actions: readonly ToolAction[]): ToolAction | undefined {
  return actions.find(({ state }) => isUnfinished(state)) ?? actions.find(({ state }) => state === 'done') ?? actions.at(-1);
}

function isUnfinished(state: ToolState): boolean {
  return state === 'running' || state === 'waiting for approval';
}

/** Returns the group title if it is the same for all calls. */
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
  const subject = titles ? subjectOf(action) : externalName(action.name);
  return translated(text, oneLine(isFile(about) ? baseName(subject) : subject));
}

/** Returns the name of an external tool with its server. The agent uses a single word for both. */
function externalName(name: string): string {
  const [, server, tool] = /^(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : t('{0} ({1})', tool, server);
}

/** Returns the old and the new name of a file. The label contains both, even if the model named the arguments differently. */
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
      // Reading a failed command's output is not a failure.
      return isOfBackground ? titles.done : titles.failed;
    case 'cancelled':
      return isNotRun === true ? (titles.denied ?? titles.stopped) : titles.stopped;
    case 'denied':
      return titles.denied ?? titles.stopped;
    case 'done':
      // Use *started* only while the command runs.
      return isOfBackground && result?.details['exitCode'] === undefined ? (titles.started ?? titles.done) : titles.done;
  }
}

/** Returns the subject of a call in one line: its label, otherwise the first suitable argument. */
export function subjectOf(action: ToolAction): string {
  const { about } = factsOf(action);
  const given = about && action.input[about.argument];
  if (isFile(about) && typeof given === 'string') return given;
  if (about?.kind === 'place' && isWorkspace(given)) return t('the workspace');
  if (action.label !== null) return requoted(action.label);
  const { path, command, query, pattern, task } = action.input;
  return [path, command, query, pattern, task].find((value) => typeof value === 'string') ?? action.name;
}

/** Replaces the quotes in a stored label with those of the display language. */
function requoted(label: string): string {
  const text = /^“(.*)”$/s.exec(label)?.[1];
  return text === undefined ? label : t('“{0}”', text);
}

/** Returns true if a path means the whole workspace. This is the case for the root and if no path is given. */
function isWorkspace(path: unknown): boolean {
  return path === undefined || path === null || (typeof path === 'string' && /^\s*\.?[/\\]*\s*$/.test(path));
}

function isFile(about: ToolFacts['about']): boolean {
  return about?.kind === 'file' || about?.kind === 'removedFile';
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).pop() ?? path;
}

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

/** Returns a remark for the row. A successful command has no remark. */
export function remarkOf(action: ToolAction): string | null {
  if (action.state === 'done' && factsOf(action).isSummaryInTitle === true) return null;
  const corrected = action.result?.details['corrected'];
  if (typeof corrected === 'string') return corrected;
  if (action.state === 'denied' || (action.state === 'done' && action.edits.length > 0)) return null;
  // A run writes a result for each call when it ends. A result is only missing if the window closed first.
  if (action.isNotRun === true && action.result === null) return t('the window closed');
  const summary = action.result?.details['exitCode'] === 0 ? null : (action.result?.summary ?? null);
  // The title and the mark of the row already show this.
  if (action.state === 'cancelled' && summary === t('stopped')) return null;
  // A background shell can have other programs and variables than the terminal.
  const shell = action.result?.details['shell'];
  const place = typeof shell === 'string' ? t('background shell ({0})', shell) : null;
  return [summary, place].filter((part) => part !== null).join(' · ') || null;
}
