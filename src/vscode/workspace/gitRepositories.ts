import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';

/** Part of the Git extension's API (version 1). */
interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): { readonly onDidOpenRepository: vscode.Event<unknown> };
}

/** Calls `listener` when the Git extension opens a repository, and when Git becomes ready after the call. */
export function onDidOpenRepository(listener: () => void, logger: Logger): DisposableStore {
  const store = new DisposableStore();
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) return store;
  const wasActive = extension.isActive;
  const listen = async () => {
    const git = await extension.activate();
    if (!git.enabled) return;
    store.add(git.getAPI(1).onDidOpenRepository(listener));
    if (!wasActive) listener();
  };
  listen().catch((error: unknown) => logger.warn('Could not listen to git', error));
  return store;
}
