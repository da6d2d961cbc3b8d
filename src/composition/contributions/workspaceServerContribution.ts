import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { askForServer } from '../../vscode/askForServer';
import { onDidChangeSettings } from '../../vscode/settingsSource';
import type { Contribution, WindowServices } from '../contribution';

/** Asks once per address whether to use the server set by a workspace. Uses the user's own server until the user agrees. */
export const workspaceServerContribution: Contribution = {
  name: 'workspace server',
  start: (services) => new WorkspaceServerQuestion(services),
};

type QuestionServices = Pick<WindowServices, 'settings' | 'servers' | 'logger'>;

export class WorkspaceServerQuestion extends DisposableStore {
  /** Addresses for which this window has already shown the question. If the user closes it, the next window shows it again. */
  private readonly asked = new Set<string>();

  constructor(private readonly services: QuestionServices) {
    super();
    this.add(onDidChangeSettings(() => this.look()));
    this.look();
  }

  private look(): void {
    const { workspaceServer: server } = this.services.settings;
    void vscode.commands.executeCommand('setContext', 'ollamaCopilot.workspaceHasServer', server !== null);
    if (server === null || server.isAllowed !== undefined || this.asked.has(server.address)) return;
    this.asked.add(server.address);
    chooseServer(this.services, false).catch((error: unknown) => {
      this.services.logger.error('The answer about the server of the workspace could not be stored', error);
      const text = vscode.l10n.t('Could not save your choice, so the server from your user settings is used. {0}', String(error));
      void vscode.window.showErrorMessage(text);
    });
  }
}

/** Asks which server to use in this workspace and stores the decision. Rejects if it cannot be stored. */
export async function chooseServer({ settings, servers }: Omit<QuestionServices, 'logger'>, isModal: boolean): Promise<void> {
  const server = settings.workspaceServer;
  if (server === null) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This workspace does not set another Ollama server.'));
    return;
  }
  const isAllowed = await askForServer(server, isModal);
  if (isAllowed !== undefined) await servers.set(server.address, isAllowed);
}
