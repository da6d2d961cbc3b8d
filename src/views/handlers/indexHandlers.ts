import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { Codebase } from '../../services/codebase/codebase';
import { saveSetting } from '../../vscode/settingsSource';

/** Requests of the settings page about the search index of the workspace. */
export function indexHandlers(
  codebase: Pick<Codebase, 'status' | 'pause' | 'recreate' | 'remove' | 'symbols'>,
): Pick<HostApi, 'findSymbols' | 'readIndex' | 'pauseIndex' | 'rebuildIndex' | 'deleteIndex'> {
  return {
    findSymbols: async ({ names }) => {
      const places = await codebase.symbols(names, new AbortController().signal);
      return { found: places.map((place) => place && { path: place.path, startLine: place.line }) };
    },
    readIndex: () => codebase.status(),
    pauseIndex: ({ isPaused }) => {
      codebase.pause(isPaused);
      return Promise.resolve({});
    },
    rebuildIndex: async () => {
      await codebase.recreate();
      return {};
    },
    deleteIndex: async () => {
      const remove = vscode.l10n.t('Delete');
      const detail = vscode.l10n.t(
        'The agent does not find code by search_codebase then, until the setting search.enabled is turned on again. Files stay as they are.',
      );
      const question = vscode.l10n.t('Delete the search index of the workspace?');
      if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) !== remove)
        return { isDeleted: false };
      await saveSetting('search.enabled', false);
      await codebase.remove();
      return { isDeleted: true };
    },
  };
}
