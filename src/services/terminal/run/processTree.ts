import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

/** Full path, because Windows searches the current folder for programs first. */
const taskkill = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');

/** On Windows, ends a process and all processes that it started. If `taskkill` fails, ends only the process. Never rejects. */
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
