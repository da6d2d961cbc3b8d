import * as vscode from 'vscode';
import type { ModelOption, ModelsState } from '../../protocol/webviewEvents';
import type { ModelActions } from '../../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import { modeRow, type ChatMode } from '../../types/modes';
import { fileSize, formatNumber } from '../../types/format';
import { isOnThisMachine, shownAddress } from '../../types/httpAddress';
import { modeName } from '../modeName';
import { examFacts } from './examCommands';
import { notifyCancellable, shareReporter } from '../notifyProgress';
import { saveModel } from '../settingsSource';

interface ModelItem extends vscode.QuickPickItem {
  model?: string;
  /** Action of the item: reads the list again or runs a command. */
  act?: 'retry' | 'openSettings' | 'openWalkthrough';
}

/**
 * Lets the user select the model of a mode. If the server at `baseUrl` is unreachable, lists
 * possible actions and the models of the last list.
 */
export async function selectModel(
  catalog: Pick<ModelCatalog, 'state' | 'refresh' | 'pick'>,
  mode: ChatMode,
  baseUrl: string,
): Promise<void> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = vscode.l10n.t('Model for {0} mode', modeName(mode));
  pick.matchOnDescription = true;

  const fill = async (isRead: boolean): Promise<void> => {
    const state = await catalog.state();
    const models = state.models.filter((model) => model.enabled && model.capabilities.chat).map((model) => toItem(model, mode));
    const isUnreachable = isRead && state.stale;
    pick.items = isUnreachable ? [...unreachableItems(baseUrl, state.problem), ...lastSeen(models)] : models;
    pick.placeholder = models.length > 0 || isUnreachable ? vscode.l10n.t('Select a model') : noModelsText(state);
    const current = pick.items.find((item) => item.model !== undefined && item.model === state.selected[mode]);
    if (current && !isUnreachable) pick.activeItems = [current];
  };
  const read = async (): Promise<void> => {
    pick.busy = true;
    await fill(false);
    await catalog.refresh();
    await fill(true);
    pick.busy = false;
  };

  const picked = await new Promise<ModelItem | undefined>((resolve, reject) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.act === 'retry') read().catch(reject);
      else resolve(item);
    });
    pick.onDidHide(() => resolve(undefined));
    pick.show();
    read().catch(reject);
  }).finally(() => pick.dispose());
  const model = picked?.model;
  if (model !== undefined) await catalog.pick(mode, model, () => saveModel(mode, model));
  else if (picked?.act !== undefined) await vscode.commands.executeCommand(`ollamaCopilot.${picked.act}`);
}

/** Lists the actions that are possible without a server. `problem` is the reason why the server is unreachable. */
function unreachableItems(baseUrl: string, problem: string | undefined): ModelItem[] {
  const act = (act: NonNullable<ModelItem['act']>, icon: string, label: string, about: Partial<ModelItem> = {}): ModelItem => ({
    label,
    iconPath: new vscode.ThemeIcon(icon),
    alwaysShow: true,
    act,
    ...about,
  });
  const description = vscode.l10n.t('No connection to {0}', shownAddress(baseUrl));
  return [
    act('retry', 'refresh', vscode.l10n.t('Try again'), { description, ...(problem !== undefined && { detail: problem }) }),
    act('openSettings', 'settings-gear', vscode.l10n.t('Change the server address')),
    ...(isOnThisMachine(baseUrl) ? [act('openWalkthrough', 'question', vscode.l10n.t('How to start Ollama'))] : []),
  ];
}

function lastSeen(models: readonly ModelItem[]): ModelItem[] {
  if (models.length === 0) return [];
  return [{ label: vscode.l10n.t('Last known models'), kind: vscode.QuickPickItemKind.Separator }, ...models];
}

function noModelsText({ models, stale }: ModelsState): string {
  if (models.length > 0) return vscode.l10n.t('None of your models can chat. Run “Pull Model…” to get a chat model.');
  if (!stale) return vscode.l10n.t('The server has no models. Run “Pull Model…” to get a model.');
  return vscode.l10n.t('Getting the list of models…');
}

/** Asks for a name and downloads the model. The user can cancel the download in the notification or in the view. */
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

function toItem(model: ModelOption, mode: ChatMode): ModelItem {
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
    description: [fileSize(model.size), ...(model.loaded ? [vscode.l10n.t('in memory')] : [])].join(' · '),
    detail: [...cloud, ...warning, ...abilities, ...context, ...exam].join('   '),
  };
}
