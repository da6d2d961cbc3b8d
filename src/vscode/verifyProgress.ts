import * as vscode from 'vscode';
import type { VerifyWatch } from '../services/checkpoint/host/storageCare';
import { notifyCancellable, shareReporter } from './notifyProgress';

/** Shows how far a check of what is stored is, and lets a person end it: then `work` is told by the signal. */
export function withVerifyProgress<T>(work: (watch: Required<VerifyWatch>) => Promise<T>): Thenable<T> {
  return notifyCancellable(vscode.l10n.t('Checking everything that is stored…'), (progress, signal) => {
    const report = shareReporter(progress);
    return work({ signal, onRead: (share) => report(share, vscode.l10n.t('{0} %', Math.floor(share * 100))) });
  });
}
