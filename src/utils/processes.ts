import { isSystemError } from './errors';

/** Returns whether a process has definitely ended. False if another process has reused its id. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isSystemError(error, 'ESRCH');
  }
}
