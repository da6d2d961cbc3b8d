import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import { phrase } from '../../utils/l10n';
import { programPlaces, startableExtensions, variable, withExtensions } from '../../utils/programPlaces';
import { McpError } from '../mcpError';

/** Arguments of `spawn`. */
export interface ProgramCall {
  file: string;
  args: readonly string[];
  windowsVerbatimArguments: boolean;
}

/** Environment in which to search for a program. */
export interface ProgramSearch {
  env: NodeJS.ProcessEnv;
  cwd: string | null;
  platform?: NodeJS.Platform;
  isFile?: (file: string) => boolean;
}

/**
 * Returns how to start a program by its name. On Windows, finds the file with PATHEXT. Windows cannot
 * start batch files such as `npx.cmd` directly, so they are started with cmd. Throws an error with
 * the code `ENOENT` if there is no such program.
 */
export function programCall(
  command: string,
  args: readonly string[],
  { env, cwd, platform = process.platform, isFile = existsSync }: ProgramSearch,
): ProgramCall {
  if (platform !== 'win32') return { file: command, args, windowsVerbatimArguments: false };
  const places = /[\\/:]/.test(command)
    ? withExtensions(win32.resolve(cwd ?? process.cwd(), command), startableExtensions(env))
    : programPlaces(command, env, platform);
  const file = places.find(isFile);
  if (file === undefined)
    throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT', syscall: `spawn ${command}`, path: command });
  if (!/\.(?:bat|cmd)$/i.test(file)) return { file, args, windowsVerbatimArguments: false };
  return {
    file: cmdFile(env),
    args: ['/d', '/e:on', '/v:off', '/s', '/c', batchLine(file, args)],
    windowsVerbatimArguments: true,
  };
}

/** Returns the full path of cmd. It is needed because Windows searches the current folder first. */
function cmdFile(env: NodeJS.ProcessEnv): string {
  return variable(env, 'ComSpec') ?? win32.join(variable(env, 'SystemRoot') ?? 'C:\\Windows', 'System32', 'cmd.exe');
}

/** Returns the argument of `cmd /s /c` that runs a batch file with exactly these arguments. */
export function batchLine(file: string, args: readonly string[]): string {
  return `"${[file, ...args].map((word) => batchWord(word, file)).join(' ')}"`;
}

/**
 * Quotes a word for cmd. cmd parses it twice: in this line, and where the batch file passes it on (`%*`).
 * The program reads `""` as a literal quote. cmd stays inside quotes, where only `%` is special. `%cd:~,%`
 * expands to nothing, so that no variable name is left.
 */
function batchWord(word: string, file: string): string {
  if (/[\r\n\0]/.test(word))
    throw new McpError('start', phrase('{0} is a batch file. Its arguments cannot contain line breaks.', win32.basename(file)));
  const escaped = word.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, '$&$&');
  return `"${escaped.replaceAll('%', '%%cd:~,%')}"`;
}
