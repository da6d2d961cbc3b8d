import { isSystemError } from './errors';

/** Returns true if a process has definitely exited. Returns false if another process has reused its ID. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isSystemError(error, 'ESRCH');
  }
}
