import * as vscode from 'vscode';
import { fileText } from '../../mcp/config/fileQuestion';
import type { WaitingFile } from '../../mcp/config/serverConfig';
import type { FileAnswer, FileApprovals } from '../../mcp/config/workspaceFiles';
import { visibleLine } from '../../protocol/text/visibleText';

const key = 'mcp.workspaceFiles';
type Answers = Record<string, FileAnswer>;

/** Remembers what a person said to the servers of a workspace, in the editor's own storage for it. */
export function workspaceApprovals(memento: vscode.Memento): FileApprovals {
  const answers = (): Answers => memento.get<Answers>(key) ?? {};
  return {
    get: (file) => (Object.hasOwn(answers(), file) ? answers()[file] : undefined),
    set: async (file, hash, isAllowed, environment) =>
      memento.update(key, { ...answers(), [file]: { hash, isAllowed, environment } }),
  };
}

/**
 * Asks whether the servers of a file may start; undefined if the person does not answer. They are shown everything that the servers are
 * started with before they can agree.
 */
export async function askForServers(file: WaitingFile): Promise<boolean | undefined> {
  const allow = vscode.l10n.t('Allow');
  const decline = vscode.l10n.t('Not these');
  const review = vscode.l10n.t('Review…');
  const names = file.servers.map(({ name }) => visibleLine(name)).join(', ');
  const announced = vscode.l10n.t(
    'This workspace brings MCP servers: {0}. They run programs on this machine or send data elsewhere. Review them before they start.',
    names,
  );
  const first = await vscode.window.showWarningMessage(announced, review, decline);
  if (first !== review) return first === undefined ? undefined : false;
  await showText(file);
  const question = vscode.l10n.t(
    'May the MCP servers of this workspace start ({0})? The editor shows everything about them.',
    names,
  );
  const answer = await vscode.window.showWarningMessage(question, allow, decline);
  return answer === undefined ? undefined : answer === allow;
}

/** Shows all that a file says in an editor of its own, which nobody can write to. */
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
