import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';

/** Pending changes of a file. `isInFront` is true if they belong to the chat that is shown. */
export interface PendingBadge {
  changes: number;
  isInFront: boolean;
}

export class ChangedFileBadges implements vscode.FileDecorationProvider, Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private files: ReadonlyMap<string, PendingBadge> = new Map();

  /** Updates the badges. Keys are URIs as strings. */
  update(files: ReadonlyMap<string, PendingBadge>): void {
    const before = this.files;
    this.files = files;
    const touched = [...new Set([...before.keys(), ...files.keys()])].filter((key) => {
      const was = before.get(key);
      const is = files.get(key);
      return was?.changes !== is?.changes || was?.isInFront !== is?.isInFront;
    });
    if (touched.length > 0) this.changed.fire(touched.map((key) => vscode.Uri.parse(key, true)));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const waiting = this.files.get(uri.toString());
    if (waiting === undefined) return undefined;
    const tooltip = waiting.isInFront
      ? vscode.l10n.t('The agent changed this file. Keep or undo the changes.')
      : vscode.l10n.t('The agent changed this file in another chat');
    return new vscode.FileDecoration('◆', tooltip, new vscode.ThemeColor('gitDecoration.modifiedResourceForeground'));
  }

  dispose(): void {
    this.changed.dispose();
  }
}
