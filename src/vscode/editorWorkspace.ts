import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';

/** The open folders and whether they are trusted, as the agent needs them. */
export class EditorWorkspace {
  private readonly realPaths = new Map<string, string>();

  folders(): { name: string; path: string }[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .map((folder) => ({ name: folder.name, path: this.realPath(folder.uri.fsPath) }));
  }

  isTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  private realPath(path: string): string {
    const known = this.realPaths.get(path);
    if (known !== undefined) return known;
    try {
      const real = realpathSync.native(path);
      this.realPaths.set(path, real);
      return real;
    } catch {
      return path;
    }
  }
}

/** The file behind a workspace-relative path as entries carry it: with the folder's name first where there are several. */
export function workspaceUri(path: string): vscode.Uri | undefined {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first, ...rest] = path.split('/');
  const named = folders.length > 1 ? folders.find((folder) => folder.name === first) : undefined;
  const base = named ?? folders[0];
  if (base === undefined) return undefined;
  const relative = named ? rest.join('/') : path;
  const uri = vscode.Uri.joinPath(base.uri, relative);
  const root = base.uri.path.endsWith('/') ? base.uri.path : `${base.uri.path}/`;
  return uri.path.startsWith(root) ? uri : undefined;
}
