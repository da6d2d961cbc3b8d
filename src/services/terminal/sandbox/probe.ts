import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { t } from '../../../utils/l10n';
import { messageOf } from '../../../utils/errors';
import { isProgram, locateProgram } from '../judge/plainProgram';
import { isolation } from './bubblewrapArguments';
import type { SandboxState } from './sandboxPorts';

const run = promisify(execFile);
/** Time limit for the test program, in milliseconds. */
const probeMs = 10_000;
const sandboxExec = '/usr/bin/sandbox-exec';
/** Command that loads the AppArmor profile for bwrap on Ubuntu 24.04. Newer releases load it by default. */
const allowOnUbuntu =
  'sudo apt install apparmor-profiles && sudo install -m 644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict';

/** Path of bwrap(1) if a sandboxed program can start. Otherwise, the reason for the user. */
export type ProbedProgram = { file: string } | Extract<SandboxState, { isAvailable: false }>;

/**
 * Runs `true` in a sandbox as a test, because AppArmor, a container or an old kernel may forbid it. Ignores a bwrap(1) inside a
 * folder of `writable`. On macOS, only checks that sandbox-exec(1) exists.
 */
export async function probeSandbox(writable: readonly string[], platform: NodeJS.Platform): Promise<ProbedProgram> {
  if (platform === 'darwin')
    return (await isProgram(sandboxExec)) ? { file: sandboxExec } : unavailable(t('sandbox-exec is missing.'), null);
  if (platform !== 'linux') return unavailable(t('The sandbox does not run on Windows.'), null);
  const file = await locateProgram('bwrap', writable);
  if (file === null)
    return unavailable(t('The sandbox needs bubblewrap, which is not installed.'), 'sudo apt install bubblewrap');
  try {
    const args = [...isolation, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', '/bin/sh', '-c', 'true'];
    await run(file, args, { timeout: probeMs });
    return { file };
  } catch (error) {
    return toProblem((error as { stderr?: string }).stderr ?? messageOf(error));
  }
}

function toProblem(message: string): ProbedProgram {
  const line = message.trim().split('\n').at(-1) ?? '';
  if (/unknown option/i.test(message))
    return unavailable(t('The sandbox needs bubblewrap 0.8 or newer.'), 'sudo apt install bubblewrap');
  if (/permission denied|not permitted|no permissions|no space left/i.test(message))
    return unavailable(t('This system does not allow programs to create a sandbox: {0}', line), allowOnUbuntu);
  return unavailable(t('A test in the sandbox failed: {0}', line), null);
}

function unavailable(reason: string, fix: string | null): Extract<SandboxState, { isAvailable: false }> {
  return { isAvailable: false, reason, fix };
}
