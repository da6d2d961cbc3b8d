import * as vscode from 'vscode';
import { reachText, type WaitingFile } from '../../mcp/config/serverConfig';
import type { FileApprovals } from '../../mcp/config/workspaceFiles';
import { cleanLine } from '../../mcp/tools/cleanText';

const key = 'mcp.workspaceFiles';
type Answers = Record<string, { hash: string; isAllowed: boolean }>;

/** Remembers what a person said to the servers of a workspace, in the editor's own storage for it. */
export function workspaceApprovals(memento: vscode.Memento): FileApprovals {
  const answers = (): Answers => memento.get<Answers>(key) ?? {};
  return {
    get: (file) => (Object.hasOwn(answers(), file) ? answers()[file] : undefined),
    set: async (file, hash, isAllowed) => memento.update(key, { ...answers(), [file]: { hash, isAllowed } }),
  };
}

/** Asks whether the servers of a file may start; undefined if the person does not answer. */
export async function askForServers({ path, servers }: WaitingFile): Promise<boolean | undefined> {
  const allow = vscode.l10n.t('Allow');
  const decline = vscode.l10n.t('Not these');
  const show = vscode.l10n.t('Show file');
  const list = servers.map((server) => `${server.name} (${cleanLine(reachText(server), 120)})`).join(', ');
  const question = vscode.l10n.t(
    'This workspace brings MCP servers, which run programs on this machine or send what the agent tells them elsewhere: {0}. May they start?',
    list,
  );
  for (;;) {
    const answer = await vscode.window.showWarningMessage(question, allow, decline, show);
    if (answer !== show) return answer === undefined ? undefined : answer === allow;
    await vscode.window.showTextDocument(vscode.Uri.file(path));
  }
}
