import * as vscode from 'vscode';
import { cleanLine } from '../../mcp/tools/cleanText';
import { listedTools } from '../languageModels/editorTools';
import { saveSetting } from '../settingsSource';

export async function chooseEditorTools(chosen: readonly string[]): Promise<void> {
  const items = listedTools([]).map(({ name, description }) => ({
    label: name,
    detail: cleanLine(description, 200),
    picked: chosen.includes(name),
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No other extension offers tools.'));
    return;
  }
  const title = vscode.l10n.t('Tools from other extensions that the agent can call. Every call needs your approval.');
  const picked = await vscode.window.showQuickPick(items, { title, canPickMany: true, ignoreFocusOut: true });
  if (picked === undefined) return;
  await saveSetting('agent.editorTools', picked.length === 0 ? undefined : picked.map(({ label }) => label));
}
