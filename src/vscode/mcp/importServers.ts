import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { findServers, otherFiles, type FoundServer, type ProgramFolders } from '../../mcp/config/otherPrograms';
import { cleanLine } from '../../mcp/tools/cleanText';
import { inspectSetting, saveSetting } from '../settingsSource';

/**
 * Copies servers from the files of other programs to the settings. The user selects the
 * servers. The import does not start any server.
 */
export async function importServers(known: readonly string[]): Promise<void> {
  const found = (await findServers(otherFiles(programFolders()))).filter(({ name }) => !known.includes(name));
  const items = found.map((server) => ({
    label: server.name,
    description: server.program,
    detail: describeReach(server),
    server,
  }));
  const other = { label: vscode.l10n.t('From another file…'), server: null };
  const title = vscode.l10n.t('Select servers to copy to your settings, with all their values');
  const chosen = await vscode.window.showQuickPick([...items, other], { title, canPickMany: true, ignoreFocusOut: true });
  if (chosen === undefined) return;
  const servers = chosen.flatMap(({ server }) => (server === null ? [] : [server]));
  if (chosen.some(({ server }) => server === null)) servers.push(...(await fromFile()));
  if (servers.length === 0) return;
  const saved = (inspectSetting('mcp.servers').value ?? {}) as Record<string, unknown>;
  const added = Object.fromEntries(servers.map(({ name, value }) => [name, value]));
  await saveSetting('mcp.servers', { ...added, ...saved });
}

async function fromFile(): Promise<FoundServer[]> {
  const [file] = (await vscode.window.showOpenDialog({ filters: { JSON: ['json'] } })) ?? [];
  return file === undefined ? [] : findServers([{ program: '', file: file.fsPath }]);
}

function describeReach({ value }: FoundServer): string {
  const { command, args, url } = value as { command?: string; args?: string[]; url?: string };
  return cleanLine(url ?? [command, ...(args ?? [])].join(' '), 200);
}

function programFolders(): ProgramFolders {
  const home = homedir();
  if (process.platform === 'win32') return { home, settings: process.env['APPDATA'] ?? path.join(home, 'AppData', 'Roaming') };
  if (process.platform === 'darwin') return { home, settings: path.join(home, 'Library', 'Application Support') };
  return { home, settings: process.env['XDG_CONFIG_HOME'] ?? path.join(home, '.config') };
}
