import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import { reachText } from '../../mcp/config/serverConfig';
import type { InputQuestion } from '../../mcp/config/serverInputs';
import { visibleLine } from '../../protocol/text/visibleText';
import { confirm } from '../confirm';
import { cutHead } from '../../types/cutText';

/**
 * Asks the user for a value that a server needs. If the server's definition has changed, asks for approval first. Resolves with
 * undefined if the user cancels.
 */
export async function askForInput({ server, input, changes }: InputQuestion): Promise<string | undefined> {
  const name = visibleLine(server.name);
  const what = visibleLine(input.description);
  if (changes !== null && changes.length > 0) {
    const text = vscode.l10n.t('The definition of {0} has changed since you entered “{1}”. Enter a value now?', name, what);
    const side = (value: string | null): string => (value === null ? vscode.l10n.t('(empty)') : shortened(value));
    const detail = changes.map(({ label, before, after }) => `${label}: ${side(before)} → ${side(after)}`).join('\n');
    if (!(await confirm({ text, detail, yes: vscode.l10n.t('Enter value…') }))) return undefined;
  }
  const title = vscode.l10n.t('The MCP server {0} needs: {1}', name, what);
  const place = visibleLine(reachText(server));
  if (input.options.length > 0)
    return vscode.window.showQuickPick([...input.options], { title, placeHolder: place, ignoreFocusOut: true });
  return vscode.window.showInputBox({ title, prompt: place, password: input.isSecret, ignoreFocusOut: true });
}

function shortened(text: string): string {
  const most = 500;
  return text.length <= most
    ? text
    : vscode.l10n.t('{0}… ({1} more characters)', cutHead(text, most), formatNumber(text.length - most));
}
