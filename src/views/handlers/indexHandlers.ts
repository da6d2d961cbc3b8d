import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { Codebase } from '../../services/codebase/codebase';
import { confirm } from '../../vscode/confirm';
import { saveSetting } from '../../vscode/settingsSource';
import { noResult } from '../noResult';

export function indexHandlers(
  codebase: Pick<Codebase, 'status' | 'pause' | 'recreate' | 'remove' | 'symbols'>,
): Pick<HostApi, 'findSymbols' | 'readIndex' | 'pauseIndex' | 'rebuildIndex' | 'deleteIndex'> {
  return {
    findSymbols: async ({ names }) => {
      const places = await codebase.symbols(names, new AbortController().signal);
      return { found: places.map((place) => place && { path: place.path, startLine: place.line }) };
    },
    readIndex: () => codebase.status(),
    pauseIndex: noResult(({ isPaused }) => codebase.pause(isPaused)),
    rebuildIndex: noResult(() => codebase.recreate()),
    deleteIndex: async () => {
      const isDeleted = await confirm({
        text: vscode.l10n.t('Delete the search index of the workspace?'),
        detail: vscode.l10n.t(
          'The agent can no longer use search_codebase until you turn on the setting “Workspace search index” again. Your files are not changed.',
        ),
        yes: vscode.l10n.t('Delete'),
      });
      if (!isDeleted) return { isDeleted };
      await saveSetting('search.enabled', false);
      await codebase.remove();
      return { isDeleted };
    },
  };
}
