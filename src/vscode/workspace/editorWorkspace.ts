import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import { hiddenShell } from '../../services/terminal/run/childProcessRunner';
import { describeShell } from '../../services/terminal/run/shellName';

export class EditorWorkspace {
  /** Description of the shell. It is cached because a change at the start of the prompt invalidates the prompt cache. */
  private describedShell: string | undefined;
  private readonly realPaths = new Map<string, string>();

  folders(): { name: string; path: string }[] {
    return openFolders().map(({ name, uri }) => ({ name, path: this.realPath(uri.fsPath) }));
  }

  isTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  commandShell(): string {
    const description = this.describedShell ?? describeShell(vscode.env.shell, hiddenShell(vscode.env.shell));
    // VS Code sets the shell shortly after startup.
    if (vscode.env.shell !== '') this.describedShell = description;
    return description;
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

/** Returns the URI of a workspace path from an entry. With several folders, the path starts with the folder name. */
export function workspaceUri(path: string): vscode.Uri | undefined {
  const folders = openFolders();
  const [first, ...rest] = path.split('/');
  const named = folders.length > 1 ? folders.find((folder) => folder.name === first) : undefined;
  const base = named ?? folders[0];
  if (base === undefined) return undefined;
  const relative = named ? rest.join('/') : path;
  const uri = vscode.Uri.joinPath(base.uri, relative);
  const root = base.uri.path.endsWith('/') ? base.uri.path : `${base.uri.path}/`;
  return uri.path.startsWith(root) ? uri : undefined;
}

/** Returns the workspace path of a file for an entry. The path is absolute if the file is outside the workspace. */
export function workspacePath(uri: vscode.Uri): string {
  const folders = openFolders();
  const own = vscode.workspace.getWorkspaceFolder(uri)?.uri.toString();
  const folder = folders.find((one) => one.uri.toString() === own);
  const path = vscode.workspace.asRelativePath(uri, false);
  return folder && folders.length > 1 ? `${folder.name}/${path}` : path;
}

/** Returns the folders on disk with unique names. VS Code allows duplicate names. */
function openFolders(): { name: string; uri: vscode.Uri }[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const names = uniqueNames(folders.map(({ name }) => name));
  return folders.map(({ name, uri }, index) => ({ name: names[index] ?? name, uri }));
}

/** Makes names unique. The first folder keeps its name, and others get a number, such as `app (2)`. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique) || (unique !== name && names.includes(unique)); number += 1) {
      unique = `${name} (${number})`;
    }
    taken.add(unique);
    return unique;
  });
}
