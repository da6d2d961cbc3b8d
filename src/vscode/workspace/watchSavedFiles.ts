import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';

/** Milliseconds after which changes are told together. */
const delayMs = 100;
/** Number of files above which all are compared. */
const mostPaths = 500;

/** Tells of files on the disk that were made, changed or deleted, by their paths; null where they are very many. */
export function watchSavedFiles(onChange: (files: readonly string[] | null) => void): Disposable {
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    const files = changed;
    changed = new Set();
    timer = undefined;
    onChange(files.size > mostPaths ? null : [...files]);
  };
  const note = ({ scheme, fsPath }: vscode.Uri): void => {
    if (scheme !== 'file') return;
    if (changed.size <= mostPaths) changed.add(fsPath);
    timer ??= setTimeout(tell, delayMs);
  };
  const watcher = vscode.workspace.createFileSystemWatcher('**/*');
  const all = vscode.Disposable.from(watcher, watcher.onDidChange(note), watcher.onDidCreate(note), watcher.onDidDelete(note));
  return {
    dispose: () => {
      clearTimeout(timer);
      all.dispose();
    },
  };
}
