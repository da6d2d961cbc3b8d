import * as vscode from 'vscode';

/** Part of the exports of VS Code's Git extension (version 1 of its API). */
interface GitExports<Api> {
  readonly enabled: boolean;
  getAPI(version: 1): Api;
}

/**
 * Activates VS Code's Git extension and resolves with its API. Resolves with null if the extension is missing, turned off,
 * or cannot be activated, for example because a required extension is missing.
 */
export async function gitApi<Api>(): Promise<Api | null> {
  const extension = vscode.extensions.getExtension<GitExports<Api> | undefined>('vscode.git');
  if (extension === undefined) return null;
  // VS Code resolves with undefined if a required extension is missing.
  const git = extension.isActive ? extension.exports : await Promise.resolve(extension.activate()).catch(() => undefined);
  return git?.enabled === true ? git.getAPI(1) : null;
}
