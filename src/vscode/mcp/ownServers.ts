import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { entryOfForm } from '../../mcp/config/serverEntry';
import { parseJsonFile } from '../../mcp/config/looseJsonFile';
import { readServerFile } from '../../mcp/config/serverConfig';
import { mcpFormProblems, type McpServerForm } from '../../protocol/forms/mcpServerForm';
import { visibleLine } from '../../protocol/text/visibleText';
import { AppError } from '../../utils/errors';
import { inspectSetting, saveSetting } from '../settingsSource';
import { readableText } from '../../utils/text/textFile';

const key = 'mcp.servers';

/** Error in a form. The form is checked again here because the check in the view is not trusted. */
class McpFormError extends AppError {
  readonly code = 'mcpForm';
}

export function ownEntry(name: string): unknown {
  const all = ownServers();
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

/** Throws if a form is invalid. `former` is the name of the edited server. */
export function checkForm(form: McpServerForm, former: string | null): void {
  const taken = Object.keys(ownServers()).filter((name) => name !== former);
  const [problem] = mcpFormProblems(form, taken);
  if (problem === undefined) return;
  const words =
    problem.code === 'nameTaken'
      ? vscode.l10n.t('Another server in your settings has the name {0}. Enter a different name.', visibleLine(form.name))
      : vscode.l10n.t('The server form contains errors. Correct them, then save again.');
  throw new McpFormError(`${problem.field}: ${problem.code}`, words);
}

/** Saves a server in the user settings. Replaces the edited server. */
export async function saveOwnServer(form: McpServerForm, former: string | null): Promise<void> {
  checkForm(form, former);
  const saved = Object.entries(ownServers());
  const entry = [form.name, entryOfForm(form, former === null ? undefined : ownEntry(former))] as const;
  const isThere = saved.some(([name]) => name === former);
  const next = isThere ? saved.map((one) => (one[0] === former ? entry : one)) : [...saved, entry];
  await saveSetting(key, Object.fromEntries(next));
}

export async function removeOwnServer(name: string): Promise<void> {
  const rest = Object.entries(ownServers()).filter(([one]) => one !== name);
  await saveSetting(key, rest.length === 0 ? undefined : Object.fromEntries(rest));
}

/** Asks for confirmation. The dialog lists the data that is kept. */
export async function askToRemove(name: string, hasSecrets: boolean): Promise<'no' | 'entry' | 'entryAndSecrets'> {
  const remove = vscode.l10n.t('Remove');
  const removeAll = vscode.l10n.t('Remove Server and Secrets');
  const detail = [
    vscode.l10n.t('Its entry in your settings is deleted, and its process is stopped.'),
    ...(hasSecrets
      ? [vscode.l10n.t('Its sign-in and the values that you entered stay in secret storage unless you remove them too.')]
      : []),
    vscode.l10n.t('Files that the server created and packages that it downloaded are not deleted.'),
  ].join('\n\n');
  const question = vscode.l10n.t('Remove the MCP server {0}?', visibleLine(name));
  const buttons = hasSecrets ? [remove, removeAll] : [remove];
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, ...buttons);
  return answer === remove ? 'entry' : answer === removeAll ? 'entryAndSecrets' : 'no';
}

/** Opens the first workspace file that defines a server with this name. */
export async function openServerFile(name: string): Promise<void> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const file = path.join(uri.fsPath, '.vscode', 'mcp.json');
    if (!(await namesServer(file, name))) continue;
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    return;
  }
}

async function namesServer(file: string, name: string): Promise<boolean> {
  try {
    const { servers } = readServerFile(parseJsonFile(readableText(await readFile(file)) ?? ''), 'workspace');
    return servers.some((server) => server.name === name);
  } catch {
    return false;
  }
}

function ownServers(): Record<string, unknown> {
  return (inspectSetting(key).value ?? {}) as Record<string, unknown>;
}
