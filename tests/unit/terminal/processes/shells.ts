import { spawn } from 'node:child_process';
import { watchShell } from '../../../../src/services/terminal/run/shellWatch';

/** Watches three endless shells that another process could own. Releases the second one, ends the third one, then reports all three. */
function main(): void {
  const stubborn = 'trap "" TERM HUP; while :; do sleep 0.1; done';
  const pids = [0, 1, 2].map(() => spawn('/bin/sh', ['-c', stubborn], { detached: true, stdio: 'ignore' }).pid);
  const [, released, ended] = pids.map((pid) => watchShell(Promise.resolve(pid)));
  released?.release();
  setTimeout(() => {
    ended?.endShell();
    ended?.release();
    process.send?.(pids);
  }, 500);
  setInterval(() => undefined, 1000);
}

main();
