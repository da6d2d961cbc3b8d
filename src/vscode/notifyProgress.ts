import * as vscode from 'vscode';
import { CancelledError } from '../utils/errors';

type Progress = vscode.Progress<{ message?: string; increment?: number }>;

export function notifyWhile<T>(title: string, work: (progress: Progress) => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}

/** Shows a notification while `work` is running. Cancel aborts the signal with a `CancelledError`. */
export function notifyCancellable<T>(title: string, work: (progress: Progress, signal: AbortSignal) => Promise<T>): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, cancelled) => {
    const stop = new AbortController();
    cancelled.onCancellationRequested(() => stop.abort(new CancelledError()));
    return work(progress, stop.signal);
  });
}

/** Returns a function that takes a share from 0 to 1. Reports whole percentages and never goes backward. */
export function shareReporter(progress: Progress): (share: number, message: string) => void {
  let shown = { percent: 0, message: '' };
  return (share, message) => {
    const percent = Math.max(shown.percent, Math.floor(share * 100));
    if (percent === shown.percent && message === shown.message) return;
    progress.report({ message, increment: percent - shown.percent });
    shown = { percent, message };
  };
}
