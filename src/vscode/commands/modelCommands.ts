import * as vscode from 'vscode';
import type { ModelOption } from '../../protocol/webviewEvents';
import type { ModelCatalog } from '../../services/modelCatalog';
import type { ChatMode } from '../../types/session';
import { formatSize } from '../formatSize';
import { saveSetting } from '../settingsSource';

interface ModelItem extends vscode.QuickPickItem {
  model: string;
}

/** Lets a person pick the model of a mode, from what the server has. */
export async function selectModel(catalog: ModelCatalog, mode: ChatMode): Promise<void> {
  const modeName = mode === 'agent' ? vscode.l10n.t('Agent') : vscode.l10n.t('Ask');
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = vscode.l10n.t('Model for {0} mode', modeName);
  pick.placeholder = vscode.l10n.t('Select a model');
  pick.matchOnDescription = true;
  pick.busy = true;

  const fill = async (): Promise<void> => {
    const state = await catalog.state();
    pick.items = state.models.filter((model) => model.enabled && model.capabilities.chat).map((model) => itemOf(model, mode));
    const current = pick.items.find((item) => item.model === state.selected[mode]);
    if (current) pick.activeItems = [current];
    if (state.stale) pick.title = vscode.l10n.t('Model for {0} mode (offline: the list last seen)', modeName);
    if (pick.items.length === 0)
      pick.placeholder = vscode.l10n.t('The server has no models yet. Pull one with: ollama pull qwen3');
  };

  const picked = await new Promise<string | undefined>((resolve, reject) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]?.model));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
    fill()
      .then(() => catalog.refresh())
      .then(fill)
      .then(() => (pick.busy = false))
      .catch(reject);
  }).finally(() => pick.dispose());
  if (picked !== undefined) await saveSetting(`${mode}Mode.model`, picked);
}

function itemOf(model: ModelOption, mode: ChatMode): ModelItem {
  const { capabilities } = model;
  const abilities = [
    capabilities.tools ? vscode.l10n.t('$(tools) tools') : '',
    capabilities.vision ? vscode.l10n.t('$(eye) vision') : '',
    capabilities.thinking ? vscode.l10n.t('$(lightbulb) thinking') : '',
  ].filter((text) => text !== '');
  const context = model.contextLength === null ? [] : [vscode.l10n.t('{0} tokens', model.contextLength.toLocaleString())];
  const warning = mode === 'agent' && !capabilities.tools ? [vscode.l10n.t('$(warning) cannot call tools')] : [];
  return {
    model: model.name,
    label: model.name,
    description: [formatSize(model.size), ...(model.loaded ? [vscode.l10n.t('loaded')] : [])].join(' · '),
    detail: [...warning, ...abilities, ...context].join('   '),
  };
}
