import { translatable, type Translate } from '../../types/texts';
import { readFacts } from '../legacyTools';
import type { ToolAction } from '../timeline';
import type { ToolFacts, ToolTitles } from '../toolFacts';
import { oneLine } from './oneLine';

const used: ToolTitles = translatable({
  done: 'Used {0}',
  running: 'Using {0}',
  planned: 'Use {0}',
  failed: 'Could not use {0}',
  stopped: 'Did not use {0}',
});

/** Returns the title of a tool call in its state, in one line. */
export function actionTitle(action: ToolAction, translated: Translate): string {
  const { titles, about } = readFacts(action);
  const text = textFor(action, titles ?? used);
  if (titles && about?.to !== undefined) {
    return translated(text, ...splitEnds(action, about.argument, about.to).map((path) => oneLine(baseName(path))));
  }
  const subject = callSubject(action, translated);
  return translated(text, oneLine(isFile(about) ? baseName(subject) : subject));
}

/** Returns what a call is about. For a tool without titles, returns the name of the tool. */
export function callSubject(action: ToolAction, t: Translate): string {
  return readFacts(action).titles ? formatSubject(action, t) : externalName(action.name, t);
}

/** Returns the name of an external tool and its server. The agent uses one identifier for both. */
function externalName(name: string, t: Translate): string {
  const [, server, tool] = /^(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : t('{0} ({1})', tool, server);
}

/** Returns the old and the new path of a file. The label contains both, even if the model used other argument names. */
function splitEnds({ input, label }: ToolAction, argument: string, toArgument: string): [string, string] {
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
    case 'queued':
    case 'waiting for approval':
      return titles.planned;
    case 'failed':
      // A command's failure does not mean that reading its output failed.
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
export function formatSubject(action: ToolAction, t: Translate): string {
  const { about } = readFacts(action);
  const given = about && action.input[about.argument];
  if (isFile(about) && typeof given === 'string') return given;
  if (about?.kind === 'place' && isWorkspace(given)) return t('the workspace');
  if (action.label !== null) return requoted(action.label, t);
  const { path, command, query, pattern, task } = action.input;
  return [path, command, query, pattern, task].find((value) => typeof value === 'string') ?? action.name;
}

/** Replaces the quotes in a stored label with those of the display language. */
function requoted(label: string, t: Translate): string {
  const text = /^“(.*)”$/s.exec(label)?.[1];
  return text === undefined ? label : t('“{0}”', text);
}

/** Returns true if a path means the whole workspace: no path, or the root. */
function isWorkspace(path: unknown): boolean {
  return path === undefined || path === null || (typeof path === 'string' && /^\s*\.?[/\\]*\s*$/.test(path));
}

export function isFile(about: ToolFacts['about']): boolean {
  return about?.kind === 'file' || about?.kind === 'removedFile';
}

function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).pop() ?? path;
}

/** Returns a remark for the row. A successful command has no remark. */
export function formatRemark(action: ToolAction, t: Translate): string | null {
  if (action.state === 'done' && readFacts(action).isSummaryInTitle === true) return null;
  const corrected = action.result?.details['corrected'];
  if (typeof corrected === 'string') return corrected;
  if (action.state === 'denied' || (action.state === 'done' && action.edits.length > 0)) return null;
  // A run writes a result for every call when it ends. Without a result, the window must have closed first.
  if (action.isNotRun === true && action.result === null) return t('the window closed');
  const result = action.result?.details['exitCode'] === 0 ? null : (action.result?.summary ?? null);
  // The title and the mark of the row already show this.
  if (action.state === 'cancelled' && result === t('stopped')) return null;
  const summary = result === t('in the background') ? null : result;
  // A background shell may have other programs and variables than the terminal.
  const shell = action.result?.details['shell'];
  const place = typeof shell === 'string' ? t('background shell ({0})', shell) : null;
  return [summary, place].filter((part) => part !== null).join(' · ') || null;
}
