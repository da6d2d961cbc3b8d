import * as vscode from 'vscode';
import type { AttachmentRef } from '../protocol/entries';
import { systemClock } from '../utils/clock';
import { withTimeout } from '../utils/withTimeout';
import { EditorSourceControl } from './workspace/editorSourceControl';

/** Milliseconds to wait for Git. */
const limit = 3000;

/** Returns true if the problems, the changes or the last terminal command have nothing to send now. */
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

/** Resolves to false without Git, whose failure or delay is reported when the message is sent. */
async function hasNoChanges(): Promise<boolean> {
  const changed = await withTimeout(
    new EditorSourceControl().changed().catch(() => null),
    limit,
    systemClock,
  );
  return changed?.length === 0;
}
