import type * as vscode from 'vscode';
import type { HostApi } from '../protocol/hostApi';
import type { ConnectionMonitor } from '../services/connectionMonitor';
import type { ModelCatalog } from '../services/modelCatalog';
import { saveSetting } from '../vscode/settingsSource';

type ModelApi = Pick<HostApi, 'selectMode' | 'selectModel' | 'refreshModels' | 'testConnection'>;

/** Requests of the view about models and the server. */
export function modelHandlers(connection: ConnectionMonitor, catalog: ModelCatalog, memento: vscode.Memento): ModelApi {
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
    refreshModels: async () => {
      await catalog.refresh();
      return {};
    },
    testConnection: async () => {
      await connection.check();
      return {};
    },
  };
}

/** Where the mode last chosen is remembered. */
export const modeKey = 'ollamaCopilot.mode';
