import * as vscode from 'vscode';
import type { AttachmentRef } from '../protocol/entries';
import { systemClock } from '../utils/clock';
import { withTimeout } from '../utils/withTimeout';
import { EditorSourceControl } from './workspace/editorSourceControl';

/** Maximum time to wait for Git, in milliseconds. */
const limit = 3000;

/** Returns true if the problems, the changes or the last terminal command currently have no content to send. */
export async function isEmptyNow({ kind }: AttachmentRef, lastTerminal: () => unknown): Promise<boolean> {
  if (kind === 'problems') return !hasProblems();
  if (kind === 'terminal') return lastTerminal() === null;
  return kind === 'changes' && hasNoChanges();
}

export function hasProblems(): boolean {
  return vscode.languages
    .getDiagnostics()
    .some(
      ([uri, problems]) =>
        uri.scheme === 'file' && problems.some(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning),
    );
}

/**
 * Resolves with true if there are no changes. If Git is missing, fails or is too slow, resolves with
 * false. Sending the message then reports the failure.
 */
async function hasNoChanges(): Promise<boolean> {
  const changed = await withTimeout(
    new EditorSourceControl().changed().catch(() => null),
    limit,
    systemClock,
  );
  return changed?.length === 0;
}
