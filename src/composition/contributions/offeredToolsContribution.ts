import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { onDidChangeSettings } from '../../vscode/settingsSource';
import type { Contribution, WindowServices } from '../contribution';

/** Read-only tools for other extensions, by the names in `package.json`. */
const offered = {
  ollamaCopilot_searchCodebase: {
    tool: 'search_codebase',
    question: () => vscode.l10n.t('Let another extension search this workspace with the Ollama Copilot index?'),
  },
  ollamaCopilot_searchHistory: {
    tool: 'search_history',
    question: () => vscode.l10n.t('Let another extension search your Ollama Copilot chats of this project?'),
  },
} as const;

/** Lets other extensions search the workspace and the chats if the user allows it. VS Code asks the user to approve each call. */
export const offeredToolsContribution: Contribution = {
  name: 'offeredTools',
  start: (services) => new OfferedTools(services),
};

class OfferedTools extends DisposableStore {
  private registered: DisposableStore | undefined;

  constructor(private readonly services: WindowServices) {
    super();
    // Editors based on VS Code may not have this API.
    if (typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerTool !== 'function') return;
    this.follow();
    this.add(onDidChangeSettings(() => this.follow()));
    this.add({ dispose: () => this.registered?.dispose() });
  }

  private follow(): void {
    const isWanted = this.services.settings.offersTools;
    if (isWanted === (this.registered !== undefined)) return;
    if (!isWanted) {
      void this.registered?.dispose();
      this.registered = undefined;
      return;
    }
    this.registered = new DisposableStore();
    for (const [name, { tool, question }] of Object.entries(offered)) {
      this.registered.add(
        vscode.lm.registerTool<{ query?: unknown }>(name, {
          prepareInvocation: ({ input }) => ({
            confirmationMessages: { title: question(), message: readQuery(input) },
          }),
          invoke: async ({ input }, token) => this.call(tool, readQuery(input), token),
        }),
      );
    }
  }

  /** Runs a tool. Rejects with an error for the calling extension. */
  private async call(name: string, query: string, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    if (!this.services.settings.offersTools) throw new Error('The user has turned these tools off.');
    const { registry } = await (await this.services.chat()).stored();
    const { readOnlyContext } = await import(/* webpackChunkName: "chat" */ '../../agent/tools/kernel/readOnlyContext');
    const prepared = registry.get(name)?.prepare({ query });
    if (prepared?.isValid !== true) throw new Error(prepared?.problem ?? `${name} is turned off.`);
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    try {
      const { content } = await prepared.run(readOnlyContext('', abort.signal));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(content)]);
    } finally {
      cancelled.dispose();
    }
  }
}

function readQuery(input: { query?: unknown }): string {
  return typeof input.query === 'string' ? input.query.slice(0, 1000) : '';
}
