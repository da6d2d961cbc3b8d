import * as vscode from 'vscode';
import { formatNumber } from '../types/format';
import type { VerifyWatch } from '../services/checkpoint/host/storageCare';
import { notifyCancellable, shareReporter } from './notifyProgress';

/** Shows the progress of a storage check. Cancel aborts the signal that `work` receives. */
export function withVerifyProgress<T>(work: (watch: Required<VerifyWatch>) => Promise<T>): Thenable<T> {
  return notifyCancellable(vscode.l10n.t('Verifying storage…'), (progress, signal) => {
    const report = shareReporter(progress);
    return work({ signal, onRead: (share) => report(share, vscode.l10n.t('{0} %', formatNumber(Math.floor(share * 100)))) });
  });
}
