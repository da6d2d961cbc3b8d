import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

/** Full path, because Windows looks for programs in the current folder first. */
const taskkill = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');

/** Ends a process on Windows with all processes that it started; only the process if `taskkill` fails. Never rejects. */
export function endTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const endRoot = (): void => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
      resolve();
    };
    const child = spawn(taskkill, ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    child.once('exit', (code) => (code === 0 ? resolve() : endRoot())).once('error', endRoot);
  });
}
