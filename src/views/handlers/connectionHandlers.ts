import { writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { ConnectionFiles } from '../../services/network/connectionFiles';
import { connectionText } from '../../services/network/connectionText';

export type KeptConnections = Pick<ConnectionFiles, 'list' | 'dropped'>;

/** Maximum number of records that the view shows. */
const maxShown = 5_000;

export function connectionHandlers(kept: KeptConnections): Pick<HostApi, 'readConnections' | 'exportConnections'> {
  return {
    readConnections: async () => ({ records: (await kept.list()).slice(0, maxShown), dropped: kept.dropped }),
    exportConnections: async ({ format, ids }) => {
      const target = await vscode.window.showSaveDialog({
        title: vscode.l10n.t('Export connections'),
        filters: format === 'json' ? { JSON: ['json'] } : { CSV: ['csv'] },
        defaultUri: vscode.Uri.file(`connections.${format}`),
      });
      if (target === undefined) return { isSaved: false };
      const chosen = new Set(ids);
      const records = (await kept.list()).filter(({ id }) => chosen.has(id));
      await writeFile(target.fsPath, connectionText(records, format));
      return { isSaved: true };
    },
  };
}
