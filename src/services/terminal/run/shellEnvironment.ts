import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { Clock } from '../../../utils/clock';
import { withTimeout } from '../../../utils/withTimeout';
import { waitForExit, terminateGroup } from './childProcessRunner';
import { startWithWatchdog } from './groupWatch';
import { shellName } from './shellName';
import { shellWord } from '../../../utils/shellWord';

/** Time limit for the startup files of a shell, in milliseconds. VS Code uses the same limit for its own environment. */
const startTimeoutMs = 10_000;
/** Shells in which `-l`, `-i`, `-c` and single quotes work as in bash. */
const knownShells = ['bash', 'zsh', 'ksh', 'sh', 'dash', 'fish'];
/** Variables that the shells set themselves while they print the environment. */
const ownVariables = ['_', 'SHLVL', 'PWD', 'OLDPWD', 'ELECTRON_RUN_AS_NODE'];
const mark = 'ollama-copilot-environment';

/**
 * Returns the environment that the startup files of a shell create from `base`. First runs a login shell, then an interactive
 * shell as in a terminal. The PATH of the interactive shell takes precedence. Resolves with `base` on Windows, for an unknown
 * shell, and if the shell does not print its environment within 10 s.
 */
export async function shellEnvironment(file: string, base: NodeJS.ProcessEnv, clock: Clock): Promise<NodeJS.ProcessEnv> {
  if (process.platform === 'win32' || !knownShells.includes(shellName(file))) return base;
  const said = await runStartUpFiles(file, base, clock);
  const found = said?.split(mark)[1];
  if (found === undefined) return base;
  try {
    const environment = JSON.parse(found) as NodeJS.ProcessEnv;
    for (const name of ownVariables) {
      if (base[name] === undefined) delete environment[name];
      else environment[name] = base[name];
    }
    return environment;
  } catch {
    return base;
  }
}

/** Resolves with the output of the shell. Resolves to undefined if the shell cannot be started or does not end in time. */
async function runStartUpFiles(file: string, base: NodeJS.ProcessEnv, clock: Clock): Promise<string | undefined> {
  const print = `${shellWord(process.execPath)} -p ${shellWord(`"${mark}" + JSON.stringify(process.env) + "${mark}"`)}`;
  // A login shell may reset PATH (`/etc/profile` of Debian), but the shell of
  // a terminal does not. Therefore PATH is restored between the two shells.
  const inTerminal = `exec env ${shellWord(`PATH=${base['PATH'] ?? ''}`)} ${shellWord(file)} -i -c ${shellWord(print)}`;
  const env = { ...base, ELECTRON_RUN_AS_NODE: '1' };
  try {
    const child = startWithWatchdog(() =>
      spawn(file, ['-l', '-c', inTerminal], { cwd: homedir(), env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = waitForExit(child);
    const code = await withTimeout(ended, startTimeoutMs, clock);
    if (code === undefined) await terminateGroup(child, ended);
    return code === 0 ? said : undefined;
  } catch {
    return undefined;
  }
}
