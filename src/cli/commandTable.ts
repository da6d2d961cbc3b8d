import { approvePolicies } from './approvalPolicy';

/** Options of the command line, by name. */
export const options = {
  session: { value: 'ID', summary: 'continue this chat' },
  model: { value: 'NAME', summary: 'model for the answer' },
  approve: { value: 'POLICY', summary: 'answer approval requests without a user', choices: approvePolicies },
  'approval-timeout': { value: 'TIME', summary: 'refuse an approval request that is not answered in this time' },
  timeout: { value: 'TIME', summary: 'stop the run after this time, such as 10m' },
  format: { value: 'FORMAT', summary: 'format of the export', choices: ['markdown', 'json', 'jsonl', 'html'] },
  'keep-own-edits': { summary: 'skip files that you edited' },
  'dry-run': { summary: 'change no file' },
  message: { value: 'TEXT', summary: 'message of the approval' },
  from: { value: 'N', summary: 'start after this event; 0 is the first' },
  json: { summary: 'print JSON' },
  connect: { value: 'FILE', summary: 'api.json in the storage folder of the server' },
  help: { summary: 'show help' },
  version: { summary: 'show the version' },
} as const satisfies Record<string, OptionInfo>;

export interface OptionInfo {
  /** Placeholder for the value. Missing for a flag. */
  value?: string;
  summary: string;
  choices?: readonly string[];
}

export type OptionName = keyof typeof options;

export interface CommandInfo {
  name: string;
  args: string;
  summary: string;
  options: readonly OptionName[];
  /** Possible values of the first argument. */
  choices?: readonly string[];
}

const talk = ['session', 'model', 'approve', 'approval-timeout', 'timeout'] as const;
export const completionShells = ['bash', 'zsh', 'fish'] as const;

/** Commands that are clients of a server, in the order of the help text. */
export const cliCommands: readonly CommandInfo[] = [
  { name: 'ask', args: '[TEXT]', summary: 'ask a question and print the answer', options: talk },
  { name: 'run', args: '[TEXT]', summary: 'run a task with the agent', options: talk },
  {
    name: 'continue',
    args: 'SESSION',
    summary: 'continue the last run of a chat, such as one that was interrupted',
    options: talk.filter((name) => name !== 'session'),
  },
  { name: 'stop', args: 'SESSION', summary: 'stop the run of a chat', options: [] },
  { name: 'sessions', args: '', summary: 'list the chats', options: [] },
  { name: 'watch', args: 'SESSION', summary: 'print the events of a chat as JSON lines', options: ['from'] },
  { name: 'export', args: 'SESSION', summary: 'print a chat', options: ['format'] },
  { name: 'import', args: 'FILE…', summary: 'import chats from exported files and other programs', options: [] },
  { name: 'checkpoints', args: 'SESSION', summary: 'list the checkpoints of a chat', options: [] },
  {
    name: 'restore',
    args: 'SESSION CHECKPOINT [FILE…]',
    summary: 'restore the files of a checkpoint',
    options: ['keep-own-edits', 'dry-run'],
  },
  { name: 'approve', args: 'SESSION', summary: 'approve all changes since the last approval', options: ['message'] },
  { name: 'reset', args: 'SESSION', summary: 'reset the workspace to the approved state', options: ['keep-own-edits'] },
  {
    name: 'completion',
    args: 'SHELL',
    summary: 'print the completion script of a shell',
    options: [],
    choices: completionShells,
  },
];

/** Commands that are servers. They have separate help texts. */
export const servers = [
  { name: 'serve', args: 'FOLDER…', summary: 'run the agent without an editor; see serve --help' },
  { name: 'acp', args: '[FOLDER…]', summary: 'run as an agent for editors with the Agent Client Protocol; see acp --help' },
] as const;

/** Options of all commands. */
export const common: readonly OptionName[] = ['json', 'connect', 'help'];

const width = 34;

/** Returns the help text of all commands, or of one command. */
export function helpText(name?: string): string {
  const one = cliCommands.find((command) => command.name === name);
  if (one !== undefined) {
    const rows = [...one.options, ...common].map(optionRow);
    return `ollama-copilot ${one.name} ${one.args}\n\n  ${sentence(one.summary)}\n${textRow(one)}\n${rows.join('\n')}\n`;
  }
  const rows = [...cliCommands, ...servers].map(({ name: called, args, summary }) => row(`${called} ${args}`, summary));
  return `ollama-copilot: a client for the chats of an editor window or a server, and the server itself

${rows.join('\n')}
${row('help [COMMAND]', 'show help; --version shows the version')}

Every command takes --json and --connect FILE. Without --connect, the variables OLLAMA_COPILOT_URL and OLLAMA_COPILOT_TOKEN
set the address, and OLLAMA_COPILOT_CLIENT_KEY identifies the client; else the server on ~/.ollama-copilot is used.
`;
}

function textRow({ options: taken }: CommandInfo): string {
  if (!taken.includes('approve')) return '';
  return `  Standard input is added to TEXT, as in: git diff | ollama-copilot ask "Review this"\n`;
}

function optionRow(name: OptionName): string {
  const { value, summary, choices }: OptionInfo = options[name];
  return row(`--${name}${value === undefined ? '' : ` ${value}`}`, choices ? `${summary}: ${choices.join(', ')}` : summary);
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(width)} ${right}`;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
