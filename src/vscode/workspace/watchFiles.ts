import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';

/** Time to collect events, in milliseconds. */
const delayMs = 300;
/** Maximum delay in milliseconds for files that change constantly, such as a log. */
const mostDelayMs = 2000;
/** Maximum number of paths. If there are more, VS Code may have lost events. */
const mostPaths = 500;
/** Patterns that are excluded from watching by default. Checkpoints never contain these files. */
const neverStored = /^(\*\*?\/)?\.(git|hg)\/[^{},]*$/;

export interface FileWatch extends Disposable {
  setActive(isActive: boolean): void;
}

/**
 * While active, reports changes to workspace files and unsaved texts after a delay. Passes absolute paths, or null if other files
 * may also have changed.
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
    // Changes are unknown while the watcher is inactive.
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

/** Returns true if every folder watches all files, apart from files that are never stored. */
function isAllWatched(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).every(({ uri }) => {
    const excluded = vscode.workspace.getConfiguration('files', uri).get<Record<string, boolean>>('watcherExclude', {});
    return Object.entries(excluded).every(([pattern, isExcluded]) => !isExcluded || neverStored.test(pattern));
  });
}
