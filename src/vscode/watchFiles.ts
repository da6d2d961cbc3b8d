import * as vscode from 'vscode';
import type { Disposable } from '../utils/disposable';

/** Many events come at once; a person does not see what lasts less. Milliseconds. */
const delayMs = 300;

export interface FileWatch extends Disposable {
  setActive(isActive: boolean): void;
}

/** Tells, a moment later, that some file of the workspace or an unsaved text has changed, while it is active. */
export function watchFiles(onChange: () => void): FileWatch {
  let active: vscode.Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, delayMs);
  };
  const end = (): void => {
    clearTimeout(timer);
    active?.dispose();
    active = undefined;
  };
  return {
    setActive: (isActive) => {
      if (!isActive) end();
      else active ??= watch(later);
    },
    dispose: end,
  };
}

function watch(tell: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*');
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(tell),
    watcher.onDidCreate(tell),
    watcher.onDidDelete(tell),
    vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === 'file' && tell()),
  );
}
