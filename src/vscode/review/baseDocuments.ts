import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';
import { baseScheme } from './baseScheme';
import type { HunksOf } from './hunkLenses';
import type { ReviewHunk } from '../../services/review/reviewTypes';

/** Provides each file without its pending changes. VS Code uses this content to show change bars and the old lines. */
export class BaseDocuments implements vscode.TextDocumentContentProvider, vscode.QuickDiffProvider, Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private control: vscode.SourceControl | undefined;
  private readonly known = new Set<string>();

  constructor(private readonly hunksOf: HunksOf) {}

  /** Creates or removes the source control. It only exists while changes are pending, because VS Code lists it next to Git. */
  show(isWaiting: boolean): void {
    if (isWaiting === (this.control !== undefined)) return;
    if (!isWaiting) {
      this.control?.dispose();
      this.control = undefined;
      return;
    }
    this.control = vscode.scm.createSourceControl('ollamaCopilot', vscode.l10n.t('Ollama Copilot: pending changes'), rootOfAll());
    this.control.inputBox.visible = false;
    this.control.count = 0;
    this.control.quickDiffProvider = this;
  }

  /** Makes a click on a change bar open the peek of this extension. VS Code prefers the newer of two providers with a root. */
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

  refresh(uri: vscode.Uri): void {
    if (this.known.has(uri.toString())) this.changed.fire(uri.with({ scheme: baseScheme, query: uri.toString() }));
  }

  dispose(): void {
    this.show(false);
    this.changed.dispose();
  }
}

/**
 * Returns the root of the disk that contains the workspace, or undefined if its folders are on several disks.
 * Without a root, VS Code prefers the bars of Git. With a root closer to the folder, VS Code would show this
 * provider as the active repository instead of Git.
 */
function rootOfAll(): vscode.Uri | undefined {
  const roots = new Set((vscode.workspace.workspaceFolders ?? []).map(({ uri }) => path.parse(uri.fsPath).root));
  const [root] = roots;
  return root === undefined || roots.size > 1 ? undefined : vscode.Uri.file(root);
}

/** Returns the text of a document with its hunks undone. Keeps other edits by the user. */
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
