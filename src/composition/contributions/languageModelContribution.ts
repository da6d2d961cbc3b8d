import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { onDidChangeSettings } from '../../vscode/settingsSource';
import type { ChatModels } from '../../vscode/languageModels/chatModels';
import type { Contribution, WindowServices } from '../contribution';

const vendor = 'ollama-copilot';

/** Provides the server's models to VS Code's model picker and to other extensions. The provider loads at the first request. */
export const languageModelContribution: Contribution = {
  name: 'languageModels',
  start: (services) => new OfferedModels(services),
};

class OfferedModels extends DisposableStore {
  private readonly changed = this.add(new vscode.EventEmitter<void>());
  private loading: Promise<ChatModels> | undefined;

  constructor(private readonly services: WindowServices) {
    super();
    // Editors based on VS Code may not have this API.
    if (typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerLanguageModelChatProvider !== 'function') return;
    const provider: vscode.LanguageModelChatProvider = {
      onDidChangeLanguageModelChatInformation: this.changed.event,
      provideLanguageModelChatInformation: () => this.list(),
      provideLanguageModelChatResponse: async ({ id }, ...asked) => (await this.models()).answer(id, ...asked),
      provideTokenCount: async (_model, text) => (await this.models()).count(text),
    };
    this.add(vscode.lm.registerLanguageModelChatProvider(vendor, provider));
    this.add(onDidChangeSettings(() => this.changed.fire()));
    this.add(services.onDidLoadServer(({ catalog }) => this.add(catalog.onDidChange(() => this.changed.fire()))));
  }

  /** Returns the models without asking the user. Returns an empty array if the server is unavailable. */
  private async list(): Promise<vscode.LanguageModelChatInformation[]> {
    if (!this.services.settings.offersModels) return [];
    try {
      return await (await this.models()).list();
    } catch (error) {
      this.services.logger.warn('Could not offer the models to the editor', error);
      return [];
    }
  }

  private models(): Promise<ChatModels> {
    this.loading ??= import(/* webpackChunkName: "chat" */ '../languageModels').then(
      ({ chatModels }) => chatModels(this.services),
      (error: unknown) => {
        this.loading = undefined;
        throw error;
      },
    );
    return this.loading;
  }
}
