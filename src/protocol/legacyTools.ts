import { translatable } from '../types/texts';
import type { ToolFacts, ToolTitles } from './toolFacts';

/** Facts of tools for calls that were logged without facts by earlier versions. Do not add new tools or update changed tools. */
const legacyTools: Readonly<Record<string, ToolFacts>> = {
  read_file: {
    family: 'read',
    effect: 'none',
    about: { kind: 'file', argument: 'path' },
    titles: translatable(titled('Read {0}', 'Reading {0}', 'Read {0}', 'Could not read {0}', 'Did not read {0}')),
  },
  create_file: {
    family: 'edit',
    effect: 'files',
    about: { kind: 'file', argument: 'path' },
    titles: translatable(titled('Created {0}', 'Creating {0}', 'Create {0}', 'Could not create {0}', 'Did not create {0}')),
    several: translatable({ done: 'Created {0} files', running: 'Creating {0} files' }),
  },
  write_file: {
    family: 'edit',
    effect: 'files',
    about: { kind: 'file', argument: 'path' },
    titles: translatable(titled('Wrote {0}', 'Writing {0}', 'Write {0}', 'Could not write {0}', 'Did not write {0}')),
  },
  replace_in_file: {
    family: 'edit',
    effect: 'files',
    about: { kind: 'file', argument: 'path' },
    titles: translatable(titled('Edited {0}', 'Editing {0}', 'Edit {0}', 'Could not edit {0}', 'Did not edit {0}')),
  },
  delete_file: {
    family: 'edit',
    effect: 'files',
    about: { kind: 'removedFile', argument: 'path' },
    titles: translatable(titled('Deleted {0}', 'Deleting {0}', 'Delete {0}', 'Could not delete {0}', 'Did not delete {0}')),
  },
  rename_file: {
    family: 'edit',
    effect: 'files',
    about: { kind: 'file', argument: 'path', to: 'newPath' },
    titles: translatable(
      titled(
        ...(['Renamed {0} to {1}', 'Renaming {0} to {1}', 'Rename {0} to {1}'] as const),
        ...(['Could not rename {0}', 'Did not rename {0}'] as const),
      ),
    ),
  },
  run_terminal_command: {
    family: 'command',
    effect: 'command',
    details: 'output',
    titles: translatable({
      ...titled('Ran {0}', 'Running {0}', 'Run {0}', 'Ran {0}', 'Stopped {0}'),
      denied: 'Not run: {0}',
      started: 'Started {0}',
    }),
  },
  get_terminal_output: {
    family: 'command',
    effect: 'none',
    details: 'output',
    titles: translatable(
      titled(
        ...(['Read the output of {0}', 'Reading the output of {0}', 'Read the output of {0}'] as const),
        ...(['Could not read the output of {0}', 'Did not read the output of {0}'] as const),
      ),
    ),
  },
  update_todos: {
    family: 'other',
    effect: 'none',
    isSummaryInTitle: true,
    titles: translatable(
      titled(
        ...(['Updated the todos: {0}', 'Updating the todos: {0}', 'Update the todos: {0}'] as const),
        ...(['Could not update the todos', 'Did not update the todos'] as const),
      ),
    ),
  },
  ask_user: {
    family: 'other',
    effect: 'none',
    titles: translatable(titled('Asked you', 'Asking you a question', 'Ask you', 'Could not ask you', 'Did not ask you')),
  },
  list_files: {
    family: 'search',
    effect: 'none',
    about: { kind: 'place', argument: 'path' },
    titles: translatable(titled('Listed {0}', 'Listing {0}', 'List {0}', 'Could not list {0}', 'Did not list {0}')),
    several: translatable({ done: 'Listed {0} folders', running: 'Listing {0} folders' }),
  },
  find_files: {
    family: 'search',
    effect: 'none',
    titles: translatable(
      titled('Looked for {0}', 'Looking for {0}', 'Look for {0}', 'Could not look for {0}', 'Did not look for {0}'),
    ),
  },
  get_diagnostics: {
    family: 'other',
    effect: 'none',
    about: { kind: 'place', argument: 'path' },
    titles: translatable(
      titled(
        ...(['Checked {0} for problems', 'Checking {0} for problems', 'Check {0} for problems'] as const),
        ...(['Could not check {0} for problems', 'Did not check {0} for problems'] as const),
      ),
    ),
  },
  search_workspace: {
    family: 'search',
    effect: 'none',
    titles: translatable(
      titled('Searched for {0}', 'Searching for {0}', 'Search for {0}', 'Could not search for {0}', 'Did not search for {0}'),
    ),
  },
  search_codebase: { family: 'search', effect: 'none' },
};

/** Returns the facts stored with a call. For older calls, derives them from the tool name. */
export function readFacts({ name, facts }: { name: string; facts?: ToolFacts | undefined }): ToolFacts {
  if (facts !== undefined) return facts;
  if (Object.hasOwn(legacyTools, name)) return legacyTools[name] as ToolFacts;
  // Calls of other programs and unknown tools.
  const isOfFile = /_file$|_in_file$/.test(name);
  return { family: 'other', effect: 'outside', ...(isOfFile && { about: { kind: 'file', argument: 'path', to: 'newPath' } }) };
}

function titled(...[done, running, planned, failed, stopped]: [string, string, string, string, string]): ToolTitles {
  return { done, running, planned, failed, stopped };
}
