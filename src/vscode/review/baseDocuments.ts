import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';
import { baseScheme } from './baseScheme';
import type { HunksOf } from './hunkLenses';
import type { ReviewHunk } from '../../services/review/reviewTypes';

/** Gives the editor each file without the changes that wait, so that it draws bars, and shows the old lines on a click. */
export class BaseDocuments implements vscode.TextDocumentContentProvider, vscode.QuickDiffProvider, Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private control: vscode.SourceControl | undefined;
  private readonly known = new Set<string>();

  constructor(private readonly hunksOf: HunksOf) {}

  /** Is there only while something waits: the editor lists it beside git. */
  show(isWaiting: boolean): void {
    if (isWaiting === (this.control !== undefined)) return;
    if (!isWaiting) {
      this.control?.dispose();
      this.control = undefined;
      return;
    }
    this.control = vscode.scm.createSourceControl(
      'ollamaCopilot',
      vscode.l10n.t('Ollama Copilot: changes that wait'),
      rootOfAll(),
    );
    this.control.inputBox.visible = false;
    this.control.count = 0;
    this.control.quickDiffProvider = this;
  }

  /** Makes a click on a bar open our peek: of two sources of bars with a root the editor prefers the newer one. */
  comeFirst(): void {
    if (this.control === undefined) return;
    this.show(false);
    this.show(true);
  }

  provideOriginalResource(uri: vscode.Uri): vscode.Uri | undefined {
    const document = documentAt(uri);
    if (document === undefined || this.hunksOf(document).length === 0) return undefined;
    return uri.with({ scheme: baseScheme, query: uri.toString() });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    this.known.add(uri.query);
    const document = documentAt(vscode.Uri.parse(uri.query, true));
    return document === undefined ? '' : textBefore(document, this.hunksOf(document));
  }

  /** Tells that hunks of a file, or its text, have changed. */
  refresh(uri: vscode.Uri): void {
    if (this.known.has(uri.toString())) this.changed.fire(uri.with({ scheme: baseScheme, query: uri.toString() }));
  }

  dispose(): void {
    this.show(false);
    this.changed.dispose();
  }
}

/**
 * Returns the root of the disk that has the workspace; undefined where folders are on several. Without a root the editor prefers git's bars. A
 * nearer root would make the editor show ours as the active repository in place of git's.
 */
function rootOfAll(): vscode.Uri | undefined {
  const roots = new Set((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => path.parse(uri.fsPath).root));
  const [root] = roots;
  return root === undefined || roots.size > 1 ? undefined : vscode.Uri.file(root);
}

/** Returns the text of a document with its hunks undone; what a person typed elsewhere stays. */
function textBefore(document: vscode.TextDocument, hunks: readonly ReviewHunk[]): string {
  const end = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const lines = document.getText().split(/\r\n|\n|\r/);
  for (const { range, written, oldLines } of [...hunks].sort((one, other) => other.range.start - one.range.start)) {
    const isWritten = (line: number) => written.some((part) => part.start <= line && line < part.end);
    const others = lines.slice(range.start, range.end).filter((_, index) => !isWritten(range.start + index));
    lines.splice(range.start, range.end - range.start, ...oldLines, ...others);
  }
  return lines.join(end);
}

function documentAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}
