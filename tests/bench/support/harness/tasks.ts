import type { ExampleCall } from '../../../unit/agent/support/writeCalls';
import { solvedFile, type SolvedFile } from '../../../unit/agent/support/humanEvalTask';
import { problems } from '../../../unit/completion/text/support/problems';

export const taskKinds = ['edit', 'patch', 'multi-file', 'run', 'search', 'load'] as const;
export type TaskKind = (typeof taskKinds)[number];

/** Edit to lines of a file. The model copies `old` from the file and replaces it with `made`. */
export interface EditStep {
  kind: 'edit';
  tool: 'replace_in_file' | 'apply_patch';
  path: string;
  old: readonly string[];
  made: readonly string[];
  /** Number of lines above `old` in the file. */
  above: number;
  /** New file that the same patch adds. */
  added?: { path: string; content: string };
}

/** Call of any other tool. `sees`: text in its result that the model needs to continue. */
export interface CallStep extends ExampleCall {
  kind: 'call';
  sees?: string;
}

export type Step = EditStep | CallStep;

/** Small task. It is done when the workspace has the files in `after` and exactly `commands` ran. */
export interface Task {
  kind: TaskKind;
  ask: string;
  before: Readonly<Record<string, string>>;
  after: Readonly<Record<string, string>>;
  steps: readonly Step[];
  commands: readonly string[];
}

const call = (name: string, args: Record<string, unknown>, sees?: string): CallStep => ({
  kind: 'call',
  name,
  arguments: args,
  ...(sees !== undefined && { sees }),
});

const edit = ({ name, old, made, above }: SolvedFile, tool: EditStep['tool'] = 'replace_in_file'): EditStep => ({
  kind: 'edit',
  tool,
  path: name,
  old,
  made,
  above,
});

const textsOf = (files: readonly SolvedFile[], when: 'before' | 'after'): Record<string, string> =>
  Object.fromEntries(files.map((file) => [file.name, file[when]]));

/** Returns the files of a task before and after: `solved` without and with their solutions, `others` unchanged. */
function filesOf(solved: readonly SolvedFile[], others: readonly SolvedFile[] = []): Pick<Task, 'before' | 'after'> {
  const unchanged = textsOf(others, 'before');
  return { before: { ...textsOf(solved, 'before'), ...unchanged }, after: { ...textsOf(solved, 'after'), ...unchanged } };
}

const asking = (files: readonly SolvedFile[]): string => `Write the function in ${files.map(({ name }) => name).join(' and ')}.`;

/** Commands, each with the files that it creates from `names.txt`. */
const commands: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['cp names.txt copy.txt', { 'copy.txt': 'Clara\nAnna\nBen\n' }],
  ['sort names.txt > sorted.txt', { 'sorted.txt': 'Anna\nBen\nClara\n' }],
  ['head -n 1 names.txt > first.txt', { 'first.txt': 'Clara\n' }],
  ['mkdir lists && cp names.txt lists/all.txt', { 'lists/all.txt': 'Clara\nAnna\nBen\n' }],
  ['grep -v Ben names.txt > others.txt', { 'others.txt': 'Clara\nAnna\n' }],
];
const names = { 'names.txt': 'Clara\nAnna\nBen\n' };

function runTask(at: number, file: SolvedFile): Task {
  const [command = '', made = {}] = commands[at % commands.length] ?? [];
  const isEditing = at % 2 === 1;
  const { before, after } = filesOf(isEditing ? [file] : []);
  return {
    kind: 'run',
    commands: [command],
    ask: `${isEditing ? `${asking([file])} Then run` : 'Run'} ${command}`,
    before: { ...before, ...names },
    after: { ...after, ...names, ...made },
    steps: [...(isEditing ? [edit(file)] : []), call('run_terminal_command', { command })],
  };
}

function multiTask(at: number, [one, other]: readonly [SolvedFile, SolvedFile]): Task {
  const notes = { path: `notes/n${at}.md`, content: `# Solved\n\n${one.name}` };
  const isTwoEdits = at % 3 === 0;
  const files = filesOf(isTwoEdits ? [one, other] : [one]);
  // A patch adds a final line break to a new file.
  const noting = { ...files.after, [notes.path]: `${notes.content}${at % 3 === 2 ? '\n' : ''}` };
  const steps: readonly Step[] = [
    [edit(one), edit(other)],
    [call('create_file', notes), edit(one)],
    [{ ...edit(one, 'apply_patch'), added: notes }],
  ][at % 3] as readonly Step[];
  return {
    kind: 'multi-file',
    commands: [],
    steps,
    before: files.before,
    after: isTwoEdits ? files.after : noting,
    ask: isTwoEdits ? asking([one, other]) : `${asking([one])} Note in ${notes.path} that it is solved.`,
  };
}

function searchTask(at: number, file: SolvedFile, others: readonly SolvedFile[]): Task {
  const name = /def (\w+)/.exec(file.before)?.[1] ?? '';
  const number = /\d+/.exec(file.name)?.[0] ?? '';
  const [ask, search] =
    at % 2 === 0
      ? [`the function ${name}`, call('search_workspace', { query: `def ${name}(` }, file.name)]
      : [`the file p${number}.py`, call('find_files', { pattern: `**/p${number}.py` }, file.name)];
  return {
    kind: 'search',
    commands: [],
    ask: `Find ${ask} and write what is missing there.`,
    ...filesOf([file], others),
    steps: [search, edit(file)],
  };
}

/** Returns the 60 tasks of the benchmark, always the same ones. */
export function microTasks(): Task[] {
  const solved = problems().map(solvedFile);
  const at = (index: number): SolvedFile => solved[index % solved.length] as SolvedFile;
  const make = (count: number, of: (index: number) => Task): Task[] => Array.from({ length: count }, (_, index) => of(index));
  const editTask = (kind: 'edit' | 'patch', file: SolvedFile): Task => ({
    kind,
    commands: [],
    ask: asking([file]),
    ...filesOf([file]),
    steps: [edit(file, kind === 'patch' ? 'apply_patch' : 'replace_in_file')],
  });
  return [
    ...make(16, (index) => editTask('edit', at(index))),
    ...make(12, (index) => editTask('patch', at(index + 3))),
    ...make(12, (index) => multiTask(index, [at(index), at(index + 5)])),
    ...make(10, (index) => runTask(index, at(index + 7))),
    ...make(10, (index) => searchTask(index, at(index + 9), [at(index + 1), at(index + 2)])),
  ];
}

/** Returns tasks that need a tool that is not declared in requests, so that the model has to load it. */
export function loadTasks(): Task[] {
  return Array.from({ length: 12 }, (_, at) => {
    const path = `notes/old${at}.txt`;
    const newPath = `notes/new${at}.txt`;
    const text = `Note ${at}\n`;
    return {
      kind: 'load',
      ask: `Rename ${path} to ${newPath}.`,
      before: { [path]: text },
      after: { [newPath]: text },
      steps: [call('rename_file', { path, newPath })],
      commands: [],
    } satisfies Task;
  });
}
