import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { DiagnosticsPort, DiagnosticsWatch, DiagnosticsWatcher, FileDiagnostic } from '../../agent/kernel/ports';
import type { Clock } from '../../utils/clock';
import { withTimeout } from '../../utils/withTimeout';
import { openUri } from './openFiles';

/** Maximum time for VS Code to open a file and for language extensions to check it, in milliseconds. */
const lookTime = 2000;

const severities: readonly FileDiagnostic['severity'][] = ['error', 'warning', 'information', 'hint'];

/** Time without reports after which the reports count as complete, in milliseconds. Extensions report syntax errors first. */
const quietTime = 150;

/** Time to wait for a language that sent no report the last time, in milliseconds. The last file may have had no problems. */
const silentTime = 1000;

export class EditorDiagnostics implements DiagnosticsPort, DiagnosticsWatcher {
  /** Languages whose extensions sent no report within the maximum time. */
  private readonly silent = new Set<string>();

  constructor(private readonly clock: Clock) {}

  async diagnostics(path: string | null, signal: AbortSignal): Promise<FileDiagnostic[]> {
    if (path !== null && (await isFile(path))) await waitForReports(vscode.Uri.file(path), this.clock, signal);
    return vscode.languages
      .getDiagnostics()
      .filter(([uri]) => uri.scheme === 'file')
      .flatMap(([uri, problems]) => problems.map((problem) => toDiagnostic(uri, problem)));
  }

  watch(path: string): DiagnosticsWatch {
    return new EditorWatch(openUri(path), this.silent, this.clock);
  }
}

/** Watches diagnostics. Starts before a change, so that no report is missed. */
class EditorWatch implements DiagnosticsWatch {
  private readonly before: FileDiagnostic[];
  private readonly listener: vscode.Disposable;
  private lastReport = 0;
  private onReport: (() => void) | undefined;

  constructor(
    private readonly uri: vscode.Uri,
    private readonly silent: Set<string>,
    private readonly clock: Clock,
  ) {
    this.before = listProblems(uri);
    this.listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((changed) => changed.toString() === uri.toString())) return;
      this.lastReport = this.clock.now();
      this.onReport?.();
    });
  }

  async changes(signal: AbortSignal): Promise<{ before: FileDiagnostic[]; after: FileDiagnostic[] }> {
    const end = this.clock.now() + lookTime;
    const opening = Promise.resolve(vscode.workspace.openTextDocument(this.uri)).catch(() => undefined);
    const document = await withTimeout(opening, lookTime, this.clock, signal);
    if (document !== undefined) {
      const isSilent = this.silent.has(document.languageId);
      const hasSpoken = await this.settled(isSilent ? Math.min(end, this.clock.now() + silentTime) : end, signal);
      if (hasSpoken) this.silent.delete(document.languageId);
      else if (!signal.aborted && this.before.length === 0) this.silent.add(document.languageId);
    }
    return { before: this.before, after: listProblems(this.uri) };
  }

  dispose(): void {
    this.listener.dispose();
  }

  /** Waits for the first report, and then until no further reports arrive. Resolves with true if there was a report. */
  private async settled(end: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const until = this.lastReport === 0 ? end : Math.min(end, this.lastReport + quietTime);
      const left = until - this.clock.now();
      if (left <= 0) break;
      await this.nextReport(left, signal);
    }
    return this.lastReport > 0;
  }

  private async nextReport(time: number, signal: AbortSignal): Promise<void> {
    const word = new Promise<void>((resolve) => (this.onReport = resolve));
    await withTimeout(word, time, this.clock, signal);
    this.onReport = undefined;
  }
}

function listProblems(uri: vscode.Uri): FileDiagnostic[] {
  return vscode.languages.getDiagnostics(uri).map((problem) => toDiagnostic(uri, problem));
}

function toDiagnostic(uri: vscode.Uri, { range, severity, message, source }: vscode.Diagnostic): FileDiagnostic {
  return {
    file: uri.fsPath,
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity] ?? 'information',
    message,
    source,
  };
}

/** Opens a file without showing it, so that language extensions check it. Waits for their reports. */
async function waitForReports(uri: vscode.Uri, clock: Clock, signal: AbortSignal): Promise<void> {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  if (isOpen || signal.aborted) return;
  let say = (): void => undefined;
  const word = new Promise<void>((resolve) => (say = resolve));
  const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (uris.some((changed) => changed.toString() === uri.toString())) say();
  });
  vscode.workspace.openTextDocument(uri).then(undefined, say);
  await withTimeout(word, lookTime, clock, signal);
  listener.dispose();
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
