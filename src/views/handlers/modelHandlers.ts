import { totalmem } from 'node:os';
import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { ConnectionMonitor } from '../../services/model/connection/connectionMonitor';
import type { ModelActions } from '../../services/model/catalogue/modelActions';
import { isOnThisMachine } from '../../types/httpAddress';
import { suggestModels } from '../../services/model/catalogue/suggestedModels';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import { saveSetting } from '../../vscode/settingsSource';
import { modeKey } from '../front';

type ModelApi = Pick<
  HostApi,
  | 'selectMode'
  | 'selectModel'
  | 'setThink'
  | 'refreshModels'
  | 'testConnection'
  | 'suggestModels'
  | 'pullModel'
  | 'cancelPull'
  | 'deleteModel'
  | 'unloadModel'
  | 'setModelEnabled'
>;

export interface ModelServices {
  connection: ConnectionMonitor;
  catalog: ModelCatalog;
  actions: ModelActions;
}

/** Requests of the view about models and the server. */
export function modelHandlers({ connection, catalog, actions }: ModelServices, memento: vscode.Memento): ModelApi {
  return {
    selectMode: async ({ mode }) => {
      await memento.update(modeKey, mode);
      await catalog.announce();
      return {};
    },
    selectModel: async ({ mode, model }) => {
      await saveSetting(`${mode}Mode.model`, model);
      return {};
    },
    setThink: async ({ name, think }) => {
      await catalog.setThink(name, think);
      return {};
    },
    refreshModels: async () => {
      await catalog.refresh();
      return {};
    },
    testConnection: async () => {
      await connection.check();
      return {};
    },
    suggestModels: async () => {
      const memory = isOnThisMachine(connection.state.baseUrl) ? totalmem() : null;
      return Promise.resolve({ suggestions: suggestModels(memory), memory });
    },
    pullModel: async ({ name }) => {
      actions.begin(name);
      return Promise.resolve({});
    },
    cancelPull: async ({ name }) => {
      actions.cancel(name);
      return Promise.resolve({});
    },
    deleteModel: async ({ name }) => {
      const remove = vscode.l10n.t('Delete');
      const detail = vscode.l10n.t('The server deletes its files. To use it again it has to be pulled again.');
      const question = vscode.l10n.t('Delete the model {0}?', name);
      if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) === remove)
        await actions.delete(name);
      return {};
    },
    unloadModel: async ({ name }) => {
      await actions.unload(name);
      return {};
    },
    setModelEnabled: async ({ name, enabled }) => {
      await catalog.setEnabled(name, enabled);
      return {};
    },
  };
}
