import { visibleJson, visibleLine } from '../protocol/text/visibleText';
import { ApiClient, findAccess } from './apiClient';
import { parseCommandLine, onlyArgument, readPolicy, readOption, type CommandLine } from './commandLine';
import { helpText, completionShells } from './commandTable';
import { completionScript } from './completion';
import { converse } from './converse';
import { changeWorkspace, importFiles } from './workspaceCommands';
import { parseDuration } from './duration';
import { CliError, exitCodes, signalCode, usageError, type ExitCode } from './exitCodes';
import type { Terminal } from './personTerminal';

/** Runs a client command. Resolves with the exit code. A failure is reported in one line. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(parseCommandLine(args), terminal);
  } catch (error) {
    if (terminal.signal.aborted) return signalCode(terminal.signal.reason);
    const known = error instanceof CliError ? error : new CliError(error instanceof Error ? error.message : String(error));
    const { message, code, exitCode } = known;
    const line = visibleLine(message.split('\n').join(' '));
    terminal.note(args.includes('--json') ? `${JSON.stringify({ error: { code, message } })}\n` : `ollama-copilot: ${line}\n`);
    return exitCode;
  }
}

async function run(line: CommandLine, terminal: Terminal): Promise<ExitCode> {
  const { command, rest, values } = line;
  const isJson = values.json === true;
  if (values.version === true) {
    const { version } = terminal;
    terminal.write(isJson ? `${JSON.stringify({ version })}\n` : `${version}\n`);
    return exitCodes.done;
  }
  if (command === 'help' || values.help === true) {
    const help = helpText(command === 'help' ? rest[0] : command);
    terminal.write(isJson ? `${JSON.stringify({ help })}\n` : help);
    return exitCodes.done;
  }
  if (command === 'completion') {
    const shell = completionShells.find((known) => known === onlyArgument(line, 'SHELL'));
    if (shell === undefined)
      throw usageError(`${String(rest[0])} is not a known shell. The shells are ${completionShells.join(', ')}.`);
    const script = completionScript(shell);
    terminal.writeDocument(isJson ? `${JSON.stringify({ script })}\n` : script);
    return exitCodes.done;
  }
  const client = () => new ApiClient(findAccess(readOption(values, 'connect'), terminal.environment));
  const at = () => `/api/dialogs/${encodeURIComponent(onlyArgument(line, 'SESSION'))}`;
  switch (command) {
    case 'ask':
    case 'run':
    case 'continue':
      return talk(line, terminal, client());
    case 'sessions':
      return listSessions(client(), terminal, isJson);
    case 'stop': {
      const stopped = await client().call('POST', `${at()}/stop`);
      terminal.write(isJson ? `${JSON.stringify(stopped)}\n` : 'Stopped.\n');
      return exitCodes.done;
    }
    case 'export': {
      const format = isJson ? 'json' : (readOption(values, 'format') ?? 'markdown');
      for await (const piece of await client().text(`${at()}/export?format=${format}`)) {
        if (terminal.signal.aborted) return signalCode(terminal.signal.reason);
        terminal.writeDocument(piece);
      }
      return exitCodes.done;
    }
    case 'import':
      return importFiles(client(), terminal, line);
    case 'checkpoints':
    case 'restore':
    case 'approve':
    case 'reset':
      return changeWorkspace(client(), terminal, line);
    default: {
      const session = onlyArgument(line, 'SESSION');
      for await (const { data } of await client().events(session, readOption(values, 'from') ?? '', terminal.signal))
        terminal.write(`${visibleJson(data)}\n`);
      return typeof terminal.signal.reason === 'string' ? signalCode(terminal.signal.reason) : exitCodes.done;
    }
  }
}

async function talk(line: CommandLine, terminal: Terminal, client: ApiClient): Promise<ExitCode> {
  const { command, rest, values } = line;
  const policy = readPolicy(values);
  const timeout = readOption(values, 'timeout');
  const patience = readOption(values, 'approval-timeout');
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, 'timeout');
  const approvalTimeoutMs = patience === undefined ? undefined : parseDuration(patience, 'approval-timeout');
  const isContinued = command === 'continue';
  const text = isContinued ? null : withInput(rest.join(' '), await terminal.readInput());
  if (text === '') throw usageError('TEXT is missing.', command);
  const session = isContinued ? onlyArgument(line, 'SESSION') : readOption(values, 'session');
  return converse(client, terminal, {
    text,
    mode: command === 'ask' ? 'ask' : 'agent',
    session,
    model: readOption(values, 'model'),
    policy,
    timeoutMs,
    approvalTimeoutMs,
    isJson: values.json === true,
  });
}

/** Adds standard input to a message. The message `-` is replaced with the input. */
function withInput(text: string, input: string): string {
  const asked = text.trim() === '-' ? '' : text.trim();
  const added = input.trimEnd();
  if (asked === '' || added === '') return asked || added;
  const longest = Math.max(2, ...(added.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${asked}\n\n${fence}\n${added}\n${fence}`;
}

async function listSessions(client: ApiClient, terminal: Terminal, isJson: boolean): Promise<ExitCode> {
  type Listed = { id: string; title: string; updated_at: string; state?: string };
  const { dialogs } = await client.call<{ dialogs: Listed[] }>('GET', '/api/dialogs');
  if (isJson) terminal.write(`${visibleJson(dialogs)}\n`);
  else
    for (const { id, title, updated_at: updatedAt, state = 'idle' } of dialogs) {
      const shown = state === 'idle' ? '' : `  (${state.replaceAll('_', ' ')})`;
      terminal.write(`${id}  ${updatedAt}  ${visibleLine(title.replace(/\s+/g, ' '))}${shown}\n`);
    }
  return exitCodes.done;
}
