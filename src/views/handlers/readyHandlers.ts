import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { ItemInEditor, WorkspaceState } from '../../protocol/webviewEvents';
import type { OpenedThing, StorageGate } from '../../services/database/storageGate';
import { hostSystem } from '../../services/model/catalogue/hostSystem';
import type { ModelActions } from '../../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { ConnectionMonitor } from '../../services/model/connection/connectionMonitor';
import type { Settings } from '../../config/settings';
import type { Logger } from '../../utils/logger';
import type { Front } from '../front';
import { noResult } from '../noResult';

/** Tells how long the view waits for the storage before it comes up without. Milliseconds. */
const storagePatience = 1000;

interface ReadyServices<T extends OpenedThing> {
  storage: StorageGate<T>;
  connection: Pick<ConnectionMonitor, 'state'>;
  catalog: Pick<ModelCatalog, 'state'>;
  actions: Pick<ModelActions, 'state'>;
  settings: Settings;
  logger: Logger;
}

/** Holds what there is of sessions while a storage is open, and what is in the editor. */
interface Surroundings<T> {
  sessionsOf: (opened: T) => { get(sessionId: string): Promise<unknown> };
  refresh: (opened: T) => void;
  leave: () => void;
  inEditor: () => Promise<ItemInEditor[]>;
}

/** Requests of a view that comes up, or shows an empty chat. */
export function readyHandlers<T extends OpenedThing>(
  { storage, connection, catalog, actions, settings, logger }: ReadyServices<T>,
  front: Pick<Front, 'sessionId' | 'mode' | 'show'>,
  stored: Surroundings<T>,
): Pick<HostApi, 'ready' | 'newChat'> {
  /** A session that cannot be looked up now is not forgotten for that. */
  const lastShown = async (opened: T | undefined): Promise<string | null> => {
    if (front.sessionId === null || opened === undefined) return null;
    try {
      if ((await stored.sessionsOf(opened).get(front.sessionId)) === undefined) front.show(null);
      return front.sessionId;
    } catch (error) {
      logger.error('Could not look up the session last shown', error);
      return null;
    }
  };
  return {
    ready: async () => {
      storage.open().catch(() => undefined);
      const opened = await storage.settled(storagePatience);
      const sessionId = await lastShown(opened);
      if (opened !== undefined) stored.refresh(opened);
      return {
        sessionId,
        mode: front.mode,
        workspace: workspaceState(),
        models: await catalog.state(),
        pulls: actions.state,
        ...(await hostSystem()),
        connection: connection.state,
        storage: storage.state,
        grants: {
          commands: settings.getAgentConfig().autoApproveCommands,
          ...{ sensitiveEdits: false, allowedCommands: [], files: [] },
        },
        inEditor: await stored.inEditor(),
        l10n: bundle(),
      };
    },
    newChat: noResult(() => {
      stored.leave();
      front.show(null);
    }),
  };
}

export function workspaceState(): WorkspaceState {
  const { isTrusted, name, workspaceFolders } = vscode.workspace;
  return { name: name ?? null, hasFolder: (workspaceFolders?.length ?? 0) > 0, isTrusted };
}

function bundle(): Record<string, string> {
  const texts = vscode.l10n.bundle ?? {};
  return Object.fromEntries(Object.entries(texts).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}
