import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { gitApi } from './gitExtension';

/** Calls `listener` when the Git extension opens a repository, and when Git becomes ready later. */
export function onDidOpenRepository(listener: () => void, logger: Logger): DisposableStore {
  const store = new DisposableStore();
  const wasActive = vscode.extensions.getExtension('vscode.git')?.isActive === true;
  const listen = async () => {
    const git = await gitApi<{ readonly onDidOpenRepository: vscode.Event<unknown> }>();
    if (git === null) return;
    store.add(git.onDidOpenRepository(listener));
    if (!wasActive) listener();
  };
  listen().catch((error: unknown) => logger.warn('Could not listen to git', error));
  return store;
}
