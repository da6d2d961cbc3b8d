import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';

/** Time to collect events, in milliseconds. */
const delayMs = 100;
/** Maximum number of files. If there are more, all files are compared. */
const mostPaths = 500;

/** Reports created, changed and deleted files by path. Reports null if there are too many. */
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
