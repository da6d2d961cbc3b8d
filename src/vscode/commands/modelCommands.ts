import * as vscode from 'vscode';
import type { ModelOption, ModelsState } from '../../protocol/webviewEvents';
import type { ModelActions } from '../../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import { modeRow, type ChatMode } from '../../types/modes';
import { fileSize, formatNumber } from '../../types/format';
import { modeName } from '../modeName';
import { examFacts } from './examCommands';
import { notifyCancellable, shareReporter } from '../notifyProgress';
import { saveModel } from '../settingsSource';

interface ModelItem extends vscode.QuickPickItem {
  model: string;
}

export async function selectModel(catalog: ModelCatalog, mode: ChatMode): Promise<void> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = vscode.l10n.t('Model for {0} mode', modeName(mode));
  pick.placeholder = vscode.l10n.t('Select a model');
  pick.matchOnDescription = true;
  pick.busy = true;

  const fill = async (): Promise<void> => {
    const state = await catalog.state();
    pick.items = state.models.filter((model) => model.enabled && model.capabilities.chat).map((model) => itemOf(model, mode));
    const current = pick.items.find((item) => item.model === state.selected[mode]);
    if (current) pick.activeItems = [current];
    if (state.stale) pick.title = vscode.l10n.t('Model for {0} mode (offline, last known models)', modeName(mode));
    if (pick.items.length === 0) pick.placeholder = noModelsText(state);
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
  if (picked !== undefined) await saveModel(mode, picked);
}

function noModelsText({ models, stale, problem }: ModelsState): string {
  if (models.length > 0) return vscode.l10n.t('None of your models can chat. Run “Pull Model…” to get a chat model.');
  if (!stale) return vscode.l10n.t('The server has no models. Run “Pull Model…” to get a model.');
  return problem ?? vscode.l10n.t('Getting the list of models…');
}

/** Asks for a name and downloads the model. The user can cancel in the notification or the view. */
export async function pullModel(actions: ModelActions): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Pull a model'),
    prompt: vscode.l10n.t('Name and tag of a model from ollama.com/library'),
    placeHolder: 'qwen3:8b',
    ignoreFocusOut: true,
  });
  if (name === undefined || name.trim() === '') return;
  const title = vscode.l10n.t('Pulling {0}', name.trim());
  const end = await notifyCancellable(title, (progress, signal) => {
    const report = shareReporter(progress);
    const listener = actions.onDidChange((pulls) => {
      const pull = pulls.find((one) => name.trim().endsWith(one.name));
      if (pull === undefined || pull.total === null) return;
      const share = pull.completed / pull.total;
      report(share, `${Math.floor(share * 100)} %`);
    });
    signal.addEventListener('abort', () => actions.cancel(name));
    return actions.pull(name).finally(() => void listener.dispose());
  });
  if (end.status === 'failed') void vscode.window.showErrorMessage(end.message ?? '');
  else if (end.status === 'done')
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} was pulled. Select the model below the message box.', end.name));
}

function itemOf(model: ModelOption, mode: ChatMode): ModelItem {
  const { capabilities } = model;
  const abilities = [
    capabilities.tools ? vscode.l10n.t('$(tools) tools') : '',
    capabilities.vision ? vscode.l10n.t('$(eye) vision') : '',
    capabilities.thinking ? vscode.l10n.t('$(lightbulb) thinking') : '',
  ].filter((text) => text !== '');
  const cloud = model.isCloud ? [vscode.l10n.t('$(cloud) runs on Ollama’s servers, not on your computer')] : [];
  const context = model.contextLength === null ? [] : [vscode.l10n.t('{0} tokens', formatNumber(model.contextLength))];
  const warning = modeRow(mode).needsTools && !capabilities.tools ? [vscode.l10n.t('$(warning) no native tool calls')] : [];
  const exam = model.exam === undefined ? [] : [examFacts(model.exam)];
  return {
    model: model.name,
    label: model.name,
    description: [fileSize(model.size), ...(model.loaded ? [vscode.l10n.t('loaded')] : [])].join(' · '),
    detail: [...cloud, ...warning, ...abilities, ...context, ...exam].join('   '),
  };
}
