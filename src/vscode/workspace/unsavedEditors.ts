import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { UnsavedFiles } from '../../services/checkpoint/host/restores';

export class UnsavedEditors implements UnsavedFiles {
  paths(): string[] {
    return [...new Set(unsaved().map(realPath))];
  }

  async save(paths: readonly string[]): Promise<void> {
    for (const uri of unsaved().filter((one) => paths.includes(realPath(one)))) await vscode.workspace.save(uri);
  }
}

function unsaved(): vscode.Uri[] {
  const texts = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri);
  const others = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ isDirty, input }) => (isDirty && isForeign(input) ? [input.uri] : []));
  return [...texts, ...others].filter(({ scheme }) => scheme === 'file');
}

function isForeign(input: unknown): input is vscode.TabInputCustom | vscode.TabInputNotebook {
  return input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook;
}

function realPath({ fsPath }: vscode.Uri): string {
  try {
    return realpathSync.native(fsPath);
  } catch {
    return fsPath;
  }
}
