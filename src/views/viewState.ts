import type * as vscode from 'vscode';
import type { HostApi } from '../protocol/hostApi';
import type { Logger } from '../utils/logger';
import { noResult } from './noResult';

const key = 'ollamaCopilot.viewState';

/** Returns the copy of the view's state as JSON, or undefined if there is none. */
export function copiedViewState(memento: Pick<vscode.Memento, 'get'>): string | undefined {
  const state = memento.get<unknown>(key);
  return typeof state === 'string' ? state : undefined;
}

/** Creates the handler that stores a copy of the view's state. The editor also stores the state, but rarely. */
export function viewStateHandlers(memento: Pick<vscode.Memento, 'update'>, logger: Logger): Pick<HostApi, 'copyViewState'> {
  return {
    copyViewState: noResult(async ({ state }) => {
      try {
        await memento.update(key, state);
      } catch (error) {
        logger.warn('The state of the view could not be copied', error);
      }
    }),
  };
}
