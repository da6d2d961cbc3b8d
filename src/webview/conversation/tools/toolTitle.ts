import type { ToolAction, ToolState } from '../../../protocol/timeline';
import type { ToolFamily } from '../../../protocol/toolFamily';
import { t } from '../../translate';
import { oneLine } from '../../common/texts/oneLine';

/** The words on a group of tool calls: what was done, is being done, was to be done. */
export function groupTitle(family: ToolFamily, actions: readonly ToolAction[], state: ToolState): string {
  const [only] = actions;
  if (only !== undefined && actions.length === 1) return actionTitle(only);
  const isRunning = state === 'running' || state === 'waiting for approval';
  switch (family) {
    case 'read':
      return isRunning ? t('Reading {0} files', actions.length) : t('Read {0} files', actions.length);
    case 'edit':
      return editTitle(actions, isRunning);
    case 'search':
      if (actions.every(({ name }) => name === 'list_files')) {
        return isRunning ? t('Listing {0} folders', actions.length) : t('Listed {0} folders', actions.length);
      }
      return isRunning ? t('Searching {0} times', actions.length) : t('Searched {0} times', actions.length);
    case 'command':
      return isRunning ? t('Running {0} commands', actions.length) : t('Ran {0} commands', actions.length);
    case 'other':
      return isRunning ? t('Using {0} tools', actions.length) : t('Used {0} tools', actions.length);
  }
}

function editTitle(actions: readonly ToolAction[], isRunning: boolean): string {
  if (actions.every(({ name }) => name === 'create_file')) {
    return isRunning ? t('Creating {0} files', actions.length) : t('Created {0} files', actions.length);
  }
  return isRunning ? t('Changing {0} files', actions.length) : t('Changed {0} files', actions.length);
}

interface Wording {
  done: string;
  running: string;
  planned: string;
  failed: string;
  stopped: string;
}

const wordings: Readonly<Record<string, Wording>> = {
  read_file: wording('Read {0}', 'Reading {0}', 'Read {0}', 'Could not read {0}', 'Did not read {0}'),
  create_file: wording('Created {0}', 'Creating {0}', 'Create {0}', 'Could not create {0}', 'Did not create {0}'),
  write_file: wording('Wrote {0}', 'Writing {0}', 'Write {0}', 'Could not write {0}', 'Did not write {0}'),
  replace_in_file: wording('Edited {0}', 'Editing {0}', 'Edit {0}', 'Could not edit {0}', 'Did not edit {0}'),
  delete_file: wording('Deleted {0}', 'Deleting {0}', 'Delete {0}', 'Could not delete {0}', 'Did not delete {0}'),
  rename_file: wording(
    'Renamed {0} to {1}',
    'Renaming {0} to {1}',
    'Rename {0} to {1}',
    'Could not rename {0}',
    'Did not rename {0}',
  ),
  run_terminal_command: wording('Ran {0}', 'Running {0}', 'Run {0}', 'Ran {0}', 'Stopped {0}'),
  get_terminal_output: wording(
    'Read the output of {0}',
    'Reading the output of {0}',
    'Read the output of {0}',
    'Could not read the output of {0}',
    'Did not read the output of {0}',
  ),
  update_todos: wording(
    'Updated the todos: {0}',
    'Updating the todos: {0}',
    'Update the todos: {0}',
    'Could not update the todos',
    'Did not update the todos',
  ),
  ask_user: wording('Asked you', 'Asking you', 'Ask you', 'Could not ask you', 'Did not ask you'),
  list_files: wording('Listed {0}', 'Listing {0}', 'List {0}', 'Could not list {0}', 'Did not list {0}'),
  find_files: wording('Looked for {0}', 'Looking for {0}', 'Look for {0}', 'Could not look for {0}', 'Did not look for {0}'),
  get_diagnostics: wording(
    'Checked {0} for problems',
    'Checking {0} for problems',
    'Check {0} for problems',
    'Could not check {0} for problems',
    'Did not check {0} for problems',
  ),
  search_workspace: wording(
    'Searched for {0}',
    'Searching for {0}',
    'Search for {0}',
    'Could not search for {0}',
    'Did not search for {0}',
  ),
};
const other = wording('Used {0}', 'Using {0}', 'Use {0}', 'Could not use {0}', 'Did not use {0}');

function wording(done: string, running: string, planned: string, failed: string, stopped: string): Wording {
  return { done, running, planned, failed, stopped };
}

const begun = wording('Started {0}', 'Starting {0}', 'Start {0}', 'Could not start {0}', 'Stopped {0}');

function actionTitle(action: ToolAction): string {
  const known = Object.hasOwn(wordings, action.name) ? (wordings[action.name] as Wording) : other;
  const words = action.name === 'run_terminal_command' && staysRunning(action) ? begun : known;
  const subject = words === other ? action.name : subjectOf(action);
  if (action.name === 'rename_file') return t(words[tense(action)], ...endsOf(action).map((path) => oneLine(baseName(path))));
  const short = isFileTool(action.name) ? baseName(subject) : subject;
  return t(words[tense(action)], oneLine(short));
}

/** What a file was called and is to be called; its label has both, however the model named the arguments. */
function endsOf({ input, label }: ToolAction): [string, string] {
  const [from, to] = label?.split(' → ') ?? [];
  return [from ?? textOr(input['path'], '…'), to ?? textOr(input['newPath'], '…')];
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' ? value : other;
}

function tense({ name, state, result }: ToolAction): keyof Wording {
  switch (state) {
    case 'running':
      return 'running';
    case 'waiting for approval':
      return 'planned';
    case 'failed':
      // A command that ended badly has been read all the same.
      return name === 'get_terminal_output' && hasEnded(result) ? 'done' : 'failed';
    case 'cancelled':
      return 'stopped';
    case 'denied':
      return name === 'run_terminal_command' ? 'planned' : 'stopped';
    case 'done':
      return 'done';
  }
}

/** Also where it turned out to end at once. */
function staysRunning({ state, result }: ToolAction): boolean {
  return state === 'done' && result?.details['background'] !== undefined && result.details['exitCode'] === undefined;
}

function hasEnded(result: ToolAction['result']): boolean {
  return result?.details['background'] !== undefined;
}

/** What a call is about, in one line: its label, else the first of its arguments that says it. */
export function subjectOf(action: ToolAction): string {
  if (isFileTool(action.name) && typeof action.input['path'] === 'string') return action.input['path'];
  if (isWorkspace(action)) return t('the workspace');
  if (action.label !== null) return action.label;
  const { path, command, query, pattern, task } = action.input;
  return [path, command, query, pattern, task].find((value) => typeof value === 'string') ?? action.name;
}

/** Calls that are about the whole workspace unless they name a path. */
function isWorkspace({ name, input }: ToolAction): boolean {
  if (name !== 'list_files' && name !== 'get_diagnostics') return false;
  const { path } = input;
  return path === undefined || path === null || (typeof path === 'string' && /^\s*\.?[/\\]*\s*$/.test(path));
}

export function isFileTool(name: string): boolean {
  return /_file$|_in_file$/.test(name);
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).pop() ?? path;
}

/** The state in words, for those who do not see its icon. */
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

/** What is worth saying beside the subject; that a command went well is not. */
export function remarkOf(action: ToolAction): string | null {
  if (action.name === 'update_todos' && action.state === 'done') return null;
  if (action.state === 'denied' || (action.state === 'done' && action.edits.length > 0)) return null;
  return action.result?.details['exitCode'] === 0 ? null : (action.result?.summary ?? null);
}
