import * as vscode from 'vscode';
import type { AttachmentRef } from '../protocol/entries';
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), limit)));
  const changed = await Promise.race([new EditorSourceControl().changed().catch(() => null), late]);
  clearTimeout(timer);
  return changed?.length === 0;
}
