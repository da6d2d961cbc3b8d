import { isSystemError } from './errors';

/** Tells whether a process of this machine has certainly ended. False if another process has its number now. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isSystemError(error, 'ESRCH');
  }
}
