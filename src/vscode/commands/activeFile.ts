import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { AppError } from '../../utils/errors';

class NoFileError extends AppError {
  readonly code = 'noFile';
}

/**
 * Resolves with the real path of the file passed to a command, or of the active file. Accepts a
 * deleted file, so that its diff can undo the deletion.
 */
export async function findFile(given: unknown): Promise<string> {
  // Lenses, title buttons and hover links pass the file. A keyboard shortcut does not.
  const uri = isUri(given) ? vscode.Uri.from(given) : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') throw new NoFileError('No file', vscode.l10n.t('Open a file, then try again.'));
  return resolveRealPath(uri);
}

/** Resolves with the path without symbolic links. If the file does not exist, resolves with the path unchanged. */
export async function resolveRealPath(uri: vscode.Uri): Promise<string> {
  const { fsPath } = vscode.Uri.from(uri);
  return realpath(fsPath).catch(() => fsPath);
}

/** Returns true for URIs. Hover links pass them as plain objects. */
export function isUri(value: unknown): value is vscode.Uri {
  return typeof value === 'object' && value !== null && 'scheme' in value && 'path' in value;
}
