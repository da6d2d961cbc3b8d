import * as vscode from 'vscode';
import { selectedModel } from '../../services/model/modelSelection';
import { chatModes } from '../../types/modes';
import { DisposableStore } from '../../utils/disposable';
import {
  CompletionStatusItem,
  menuCommand,
  listWarnings,
  type CompletionStatus,
} from '../../vscode/completion/completionStatusItem';
import { inspectSetting, onDidChangeSettings, saveForCommand } from '../../vscode/settingsSource';
import type { Completions } from '../completions';
import type { Contribution, WindowServices } from '../contribution';

/** Schemes of editable documents: files, untitled files and notebook cells. */
const selector = ['file', 'untitled', 'vscode-notebook-cell'].map((scheme) => ({ scheme }));

/** Registers inline suggestions and their status. If a model is chosen, the services load at the first keystroke. */
export const completionContribution: Contribution = {
  name: 'completions',
  start: (services) => new WindowCompletions(services),
};

const snoozeMs = 5 * 60_000;

class WindowCompletions extends DisposableStore {
  private readonly item = this.add(new CompletionStatusItem());
  private loaded: Completions | undefined;
  /** Reason why the model cannot be used, or null if no reason is known. */
  private refusal: string | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly services: WindowServices) {
    super();
    const { Invoke } = vscode.InlineCompletionTriggerKind;
    const provider: vscode.InlineCompletionItemProvider = {
      provideInlineCompletionItems: async (document, position, context, token) => {
        const { model, isAutomatic } = services.settings.getCompletionConfig();
        if (model === '' || (!isAutomatic && context.triggerKind !== Invoke)) return undefined;
        const completions = await services.completions();
        return completions.provider.provideInlineCompletionItems(document, position, context, token);
      },
    };
    this.add(vscode.languages.registerInlineCompletionItemProvider(selector, provider));
    this.add(vscode.commands.registerCommand(menuCommand, () => this.showMenu()));
    this.add(
      onDidChangeSettings(() => {
        this.update();
        void this.readRefusal();
      }),
    );
    this.add(
      services.onDidLoadCompletions((completions) => {
        this.loaded = completions;
        this.add(completions.engine.onDidChange(() => this.update()));
        this.add(completions.models.onDidTest(() => void this.readRefusal()));
        void this.readRefusal();
      }),
    );
    // The database contains an earlier verdict about the model, which is shown before the first keystroke.
    this.add(
      services.onDidLoadServer(({ models }) => {
        this.add(models.onDidChange(() => void this.readRefusal()));
        void this.loadRefusal();
      }),
    );
    this.add(services.onDidStartSessions(() => void this.loadRefusal()));
    this.add({ dispose: () => clearTimeout(this.timer) });
    this.update();
  }

  private async loadRefusal(): Promise<void> {
    if (this.services.settings.getCompletionConfig().model === '') return;
    try {
      await this.services.completions();
    } catch (error) {
      this.services.logger.warn('Could not load the services for suggestions', error);
    }
    await this.readRefusal();
  }

  private async readRefusal(): Promise<void> {
    const { model } = this.services.settings.getCompletionConfig();
    const refusal = await this.loaded?.models.knownRefusal().catch((error: unknown) => {
      this.services.logger.warn('Could not read whether the model for suggestions passed its self-test', error);
      return null;
    });
    if (this.services.settings.getCompletionConfig().model !== model) return;
    this.refusal = refusal ?? null;
    this.update();
  }

  private get status(): CompletionStatus {
    const { settings } = this.services;
    const { model, isAutomatic } = settings.getCompletionConfig();
    const snoozedUntil = this.loaded?.snoozedUntil ?? 0;
    const isShared = model !== '' && chatModes.some((mode) => selectedModel(mode, settings, []) === model);
    return { model, isAutomatic, snoozedUntil, engine: this.loaded?.state ?? null, refusal: this.refusal, isShared };
  }

  private update(): void {
    const { status } = this;
    const { snoozedUntil } = status;
    const now = Date.now();
    this.item.update(status, now);
    clearTimeout(this.timer);
    if (snoozedUntil > now) this.timer = setTimeout(() => this.update(), snoozedUntil - now + 50);
  }

  private async showMenu(): Promise<void> {
    const { settings, view, completions } = this.services;
    const { showCompletionMenu, testAgain } = await import(
      /* webpackChunkName: "completions" */ '../../vscode/completion/completionMenu'
    );
    const { isAutomatic, languages, model } = settings.getCompletionConfig();
    const id = vscode.window.activeTextEditor?.document.languageId;
    const isOn = id !== undefined && (languages[id] ?? languages['*'] ?? true);
    const config = () => settings.getCompletionConfig();
    const { snooze } = { snooze: async (ms: number) => (await completions()).snooze(ms) };
    const openSettings = () => view.reveal('navigate', { page: 'settings', tab: 'autocomplete' });
    await showCompletionMenu({
      isAutomatic,
      isSnoozed: (this.loaded?.snoozedUntil ?? 0) > Date.now(),
      language: id === undefined ? null : { id, isOn },
      toggle: () => saveForCommand('enableAutoComplete', !isAutomatic, () => config().isAutomatic !== isAutomatic),
      snooze: () => snooze(snoozeMs),
      wake: () => snooze(0),
      toggleLanguage: () =>
        id !== undefined &&
        saveForCommand('completionMode.languages', { ...ownLanguages(), [id]: !isOn }, () => config().languages[id] === !isOn),
      warnings: listWarnings(this.status),
      openSettings,
      test: () => testAgain(model, async () => (await completions()).models.test(model), openSettings),
    });
  }
}

/** Returns the user's own value of the setting, without the values of the workspace. */
function ownLanguages(): object {
  const { value } = inspectSetting('completionMode.languages');
  return typeof value === 'object' && value !== null ? value : {};
}
