import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { DiagnosticsPort, FileDiagnostic } from '../agent/ports';

/** How long a language extension gets to look at a file that was not open. Milliseconds. */
const lookTime = 2000;

const severities: readonly FileDiagnostic['severity'][] = ['error', 'warning', 'information', 'hint'];

/** The problems that the editor shows. */
export class EditorDiagnostics implements DiagnosticsPort {
  async diagnostics(path: string | null, signal: AbortSignal): Promise<FileDiagnostic[]> {
    if (path !== null && (await isFile(path))) await haveLookedAt(vscode.Uri.file(path), signal);
    return vscode.languages
      .getDiagnostics()
      .filter(([uri]) => uri.scheme === 'file')
      .flatMap(([uri, problems]) => problems.map((problem) => diagnosticOf(uri, problem)));
  }
}

function diagnosticOf(uri: vscode.Uri, { range, severity, message, source }: vscode.Diagnostic): FileDiagnostic {
  return {
    file: uri.fsPath,
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity] ?? 'information',
    message,
    source,
  };
}

/** Language extensions look at files that are open; opening one shows nothing. */
async function haveLookedAt(uri: vscode.Uri, signal: AbortSignal): Promise<void> {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  if (isOpen || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      listener.dispose();
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((changed) => changed.toString() === uri.toString())) done();
    });
    const timer = setTimeout(done, lookTime);
    signal.addEventListener('abort', done, { once: true });
    vscode.workspace.openTextDocument(uri).then(undefined, done);
  });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
