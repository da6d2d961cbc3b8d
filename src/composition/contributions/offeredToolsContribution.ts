import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { onDidChangeSettings } from '../../vscode/settingsSource';
import type { Contribution, WindowServices } from '../contribution';

/** Our own tools that other extensions may call, by the names that the manifest has for them. Each of them only reads. */
const offered = {
  ollamaCopilot_searchCodebase: {
    tool: 'search_codebase',
    question: () => vscode.l10n.t('Let another extension search this workspace by Ollama Copilot’s index?'),
  },
  ollamaCopilot_searchHistory: {
    tool: 'search_history',
    question: () => vscode.l10n.t('Let another extension search the chats of this project with Ollama Copilot?'),
  },
} as const;

/** Lets other extensions search the workspace and the conversations, where a person has turned that on; each call asks in the editor. */
export const offeredToolsContribution: Contribution = {
  name: 'offeredTools',
  start: (services) => new OfferedTools(services),
};

class OfferedTools extends DisposableStore {
  private registered: DisposableStore | undefined;

  constructor(private readonly services: WindowServices) {
    super();
    // Programs that are made of the editor may leave it out.
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
            confirmationMessages: { title: question(), message: queryOf(input) },
          }),
          invoke: async ({ input }, token) => this.call(tool, queryOf(input), token),
        }),
      );
    }
  }

  /** Throws what keeps the tool from answering, for the extension that asks. */
  private async call(name: string, query: string, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    if (!this.services.settings.offersTools) throw new Error('The person has turned these tools off.');
    const { registry } = await (await this.services.chat()).stored();
    const { readingOnly } = await import(/* webpackChunkName: "chat" */ '../../agent/tools/kernel/readingOnly');
    const prepared = registry.get(name)?.prepare({ query });
    if (prepared?.isValid !== true) throw new Error(prepared?.problem ?? `${name} is turned off.`);
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    try {
      const { content } = await prepared.run(readingOnly('', abort.signal));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(content)]);
    } finally {
      cancelled.dispose();
    }
  }
}

function queryOf(input: { query?: unknown }): string {
  return typeof input.query === 'string' ? input.query.slice(0, 1000) : '';
}
