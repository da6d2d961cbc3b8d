import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { Clock } from '../../../utils/clock';
import { withTimeout } from '../../../utils/withTimeout';
import { endOf, terminateGroup } from './childProcessRunner';
import { startWatched } from './groupWatch';
import { shellName } from './shellName';
import { shellWord } from '../../../utils/shellWord';

/** Milliseconds that the start-up files of a shell may take, as the editor allows for its own environment. */
const startTimeoutMs = 10_000;
/** Shells whose options `-l`, `-i` and `-c` do what they do in bash, and whose single quotes do too. */
const knownShells = ['bash', 'zsh', 'ksh', 'sh', 'dash', 'fish'];
/** Variables that the shells which print the environment set for themselves. */
const ownVariables = ['_', 'SHLVL', 'PWD', 'OLDPWD', 'ELECTRON_RUN_AS_NODE'];
const mark = 'ollama-copilot-environment';

/**
 * Returns the environment that the start-up files of a shell make of `base`: those of a login shell, then those of the interactive shell of a
 * terminal, which has the last word on PATH. Resolves with `base` on Windows, for a shell whose options are not known, and if the shell does
 * not report its environment within 10 s.
 */
export async function shellEnvironment(file: string, base: NodeJS.ProcessEnv, clock: Clock): Promise<NodeJS.ProcessEnv> {
  if (process.platform === 'win32' || !knownShells.includes(shellName(file))) return base;
  const said = await startUp(file, base, clock);
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

/** Resolves with what the shell prints, undefined if it cannot be started or does not end in time. */
async function startUp(file: string, base: NodeJS.ProcessEnv, clock: Clock): Promise<string | undefined> {
  const print = `${shellWord(process.execPath)} -p ${shellWord(`"${mark}" + JSON.stringify(process.env) + "${mark}"`)}`;
  // A login shell may set PATH from nothing (`/etc/profile` of Debian), which a terminal's shell does not.
  const inTerminal = `exec env ${shellWord(`PATH=${base['PATH'] ?? ''}`)} ${shellWord(file)} -i -c ${shellWord(print)}`;
  const env = { ...base, ELECTRON_RUN_AS_NODE: '1' };
  try {
    const child = startWatched(() =>
      spawn(file, ['-l', '-c', inTerminal], { cwd: homedir(), env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = endOf(child);
    const code = await withTimeout(ended, startTimeoutMs, clock);
    if (code === undefined) await terminateGroup(child, ended);
    return code === 0 ? said : undefined;
  } catch {
    return undefined;
  }
}
