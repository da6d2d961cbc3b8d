import * as vscode from 'vscode';
import { fileText } from '../../mcp/config/fileQuestion';
import type { WaitingFile } from '../../mcp/config/serverConfig';
import type { FileAnswer, FileApprovals } from '../../mcp/config/workspaceFiles';
import { visibleLine } from '../../protocol/text/visibleText';

const key = 'mcp.workspaceFiles';
type Answers = Record<string, FileAnswer>;

/** Stores the user's decisions about servers of a workspace in VS Code's workspace storage. */
export function workspaceApprovals(memento: vscode.Memento): FileApprovals {
  const answers = (): Answers => memento.get<Answers>(key) ?? {};
  return {
    get: (file) => (Object.hasOwn(answers(), file) ? answers()[file] : undefined),
    set: async (file, hash, isAllowed, environment) =>
      memento.update(key, { ...answers(), [file]: { hash, isAllowed, environment } }),
  };
}

/**
 * Asks whether the servers of a file are allowed to start. Shows their complete definition first.
 * Resolves with undefined if the user makes no decision.
 */
export async function askForServers(file: WaitingFile): Promise<boolean | undefined> {
  const allow = vscode.l10n.t('Allow');
  const decline = vscode.l10n.t('Do Not Start');
  const review = vscode.l10n.t('Review…');
  const names = file.servers.map(({ name }) => visibleLine(name)).join(', ');
  const announced = vscode.l10n.t(
    'This workspace defines MCP servers: {0}. They run programs on this computer or send data elsewhere. Review them before they start.',
    names,
  );
  const first = await vscode.window.showWarningMessage(announced, review, decline);
  if (first !== review) return first === undefined ? undefined : false;
  await showText(file);
  const question = vscode.l10n.t(
    'Start the MCP servers of this workspace ({0})? The editor shows their full configuration.',
    names,
  );
  const answer = await vscode.window.showWarningMessage(question, allow, decline);
  return answer === undefined ? undefined : answer === allow;
}

async function showText(file: WaitingFile): Promise<void> {
  const scheme = `ollama-copilot-mcp-${file.hash.slice(0, 16)}`;
  const text = fileText(file);
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent: () => text });
  try {
    const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t('MCP servers of this workspace')}.txt` });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false });
  } finally {
    provider.dispose();
  }
}
