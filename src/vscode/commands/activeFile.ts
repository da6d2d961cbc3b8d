import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { AppError } from '../../utils/errors';

class NoFileError extends AppError {
  readonly code = 'noFile';
}

/**
 * Resolves with the real path of the file that a command was called for, else of the active editor's; also of one that is gone, so that its deletion
 * can be undone from its diff.
 */
export async function fileOf(given: unknown): Promise<string> {
  // A lens, a title's button and a link of a hover say which file; a key does not.
  const uri = isUri(given) ? vscode.Uri.from(given) : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') throw new NoFileError('No file', vscode.l10n.t('Open the file first, then try again.'));
  return realPathOf(uri);
}

/** Resolves with a path free of links, as far as the file is there. */
export async function realPathOf(uri: vscode.Uri): Promise<string> {
  const { fsPath } = vscode.Uri.from(uri);
  return realpath(fsPath).catch(() => fsPath);
}

/** Tells addresses, which links of hovers give as plain objects. */
export function isUri(value: unknown): value is vscode.Uri {
  return typeof value === 'object' && value !== null && 'scheme' in value && 'path' in value;
}
