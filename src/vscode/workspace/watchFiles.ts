import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';

/** Many events come at once; a person does not see what lasts less. Milliseconds. */
const delayMs = 300;
/** Longest delay, in milliseconds, for files that change all the time, such as a log. */
const mostDelayMs = 2000;
/** Number of paths above which the editor may have lost some. */
const mostPaths = 500;
/** Patterns that are excluded from watching by default and never in a checkpoint. */
const neverStored = /^(\*\*?\/)?\.(git|hg)\/[^{},]*$/;

export interface FileWatch extends Disposable {
  setActive(isActive: boolean): void;
}

/**
 * Tells, a moment later, that some file of the workspace or an unsaved text has changed, while it is active: the absolute paths of the files,
 * or null where others may have changed too.
 */
export function watchFiles(onChange: (changed: readonly string[] | null) => void): FileWatch {
  let active: vscode.Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;
  let changed: Set<string> | null = null;
  let since: number | null = null;
  const tell = (): void => {
    since = null;
    const told = changed !== null && isAllWatched() ? [...changed] : null;
    changed = new Set();
    onChange(told);
  };
  const later = (uri?: vscode.Uri): void => {
    if (uri !== undefined) changed?.add(uri.fsPath);
    if (changed !== null && changed.size > mostPaths) changed = null;
    const now = Date.now();
    since ??= now;
    clearTimeout(timer);
    timer = setTimeout(tell, Math.max(0, Math.min(delayMs, since + mostDelayMs - now)));
  };
  const end = (): void => {
    clearTimeout(timer);
    since = null;
    active?.dispose();
    active = undefined;
    // Nobody watches from now on.
    changed = null;
  };
  return {
    setActive: (isActive) => {
      if (!isActive) end();
      else active ??= watch(later);
    },
    dispose: end,
  };
}

function watch(tell: (uri?: vscode.Uri) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*');
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(tell),
    watcher.onDidCreate(tell),
    watcher.onDidDelete(tell),
    vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.scheme === 'file' && tell()),
  );
}

/** Tells whether every folder is watched whole: each may exclude more of itself. */
function isAllWatched(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).every(({ uri }) => {
    const excluded = vscode.workspace.getConfiguration('files', uri).get<Record<string, boolean>>('watcherExclude', {});
    return Object.entries(excluded).every(([pattern, isExcluded]) => !isExcluded || neverStored.test(pattern));
  });
}
