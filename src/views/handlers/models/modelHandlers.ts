import { totalmem } from 'node:os';
import * as vscode from 'vscode';
import type { HostApi } from '../../../protocol/hostApi';
import type { ConnectionMonitor } from '../../../services/model/connection/connectionMonitor';
import type { ModelActions } from '../../../services/model/catalogue/modelActions';
import { isOnThisMachine } from '../../../types/httpAddress';
import { suggestionsAsOf, suggestModels } from '../../../services/model/catalogue/suggestedModels';
import type { MemoryPlanner } from '../../../services/model/fit/memoryPlanner';
import type { ModelCatalog } from '../../../services/model/catalogue/modelCatalog';
import { confirm } from '../../../vscode/confirm';
import { saveModel } from '../../../vscode/settingsSource';
import { selectMode } from '../../activeSession';
import { noResult } from '../../noResult';

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
  planner: Pick<MemoryPlanner, 'room'>;
}

export function modelHandlers({ connection, catalog, actions, planner }: ModelServices, memento: vscode.Memento): ModelApi {
  return {
    selectMode: noResult(async ({ mode }) => {
      await selectMode(memento, mode);
      await catalog.announce();
    }),
    selectModel: noResult(({ mode, model }) => catalog.pick(mode, model, () => saveModel(mode, model))),
    setThink: noResult(({ name, think }) => catalog.setThink(name, think)),
    refreshModels: noResult(() => catalog.refresh()),
    testConnection: noResult(() => connection.check()),
    suggestModels: async () => {
      const room = await planner.room();
      const memory = room?.bytes ?? (isOnThisMachine(connection.state.baseUrl) ? totalmem() : null);
      const kind = room?.kind ?? 'computer';
      return { suggestions: suggestModels(memory, kind), memory, kind, asOf: suggestionsAsOf };
    },
    pullModel: noResult(({ name }) => {
      actions.begin(name);
    }),
    cancelPull: noResult(({ name }) => actions.cancel(name)),
    deleteModel: noResult(async ({ name }) => {
      const isSure = await confirm({
        text: vscode.l10n.t('Delete the model {0}?', name),
        detail: vscode.l10n.t('The server deletes the files of the model. To use the model again, pull it again.'),
        yes: vscode.l10n.t('Delete'),
      });
      if (isSure) await actions.delete(name);
    }),
    unloadModel: noResult(({ name }) => actions.unload(name)),
    setModelEnabled: noResult(({ name, enabled }) => catalog.setEnabled(name, enabled)),
  };
}
