import * as vscode from 'vscode';
import type { VerifyWatch } from '../services/checkpoint/host/storageCare';

/** Shows how far a check of what is stored is, and lets a person end it: then `work` is told by the signal. */
export function withVerifyProgress<T>(work: (watch: Required<VerifyWatch>) => Promise<T>): Thenable<T> {
  const { l10n, window } = vscode;
  const title = l10n.t('Checking everything that is stored…');
  return window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      let told = 0;
      const onRead = (share: number): void => {
        const percent = Math.floor(share * 100);
        if (percent <= told) return;
        progress.report({ increment: percent - told, message: l10n.t('{0} %', percent) });
        told = percent;
      };
      return work({ signal: stop.signal, onRead });
    },
  );
}
