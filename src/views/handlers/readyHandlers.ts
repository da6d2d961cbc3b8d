import * as vscode from 'vscode';
import { noGrants } from '../../agent/approvals/sessionGrants';
import type { HostApi } from '../../protocol/hostApi';
import type { ItemInEditor, WorkspaceState } from '../../protocol/webviewEvents';
import type { OpenedServices, StorageGate } from '../../services/database/storageGate';
import { hostSystem } from '../../services/model/catalogue/hostSystem';
import type { ModelActions } from '../../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { ConnectionMonitor } from '../../services/model/connection/connectionMonitor';
import type { Settings } from '../../config/settings';
import type { Logger } from '../../utils/logger';
import type { ActiveSession } from '../activeSession';

/** Maximum time that a new view waits for the storage, in milliseconds. */
const storagePatience = 1000;

interface ReadyServices<T extends OpenedServices> {
  storage: StorageGate<T>;
  connection: Pick<ConnectionMonitor, 'state'>;
  catalog: Pick<ModelCatalog, 'state'>;
  actions: Pick<ModelActions, 'state'>;
  settings: Settings;
  logger: Logger;
}

interface Surroundings<T> {
  sessionsOf: (opened: T) => { get(sessionId: string): Promise<unknown> };
  refresh: (opened: T) => void;
  leave: () => void;
  inEditor: () => Promise<ItemInEditor[]>;
}

/** Creates the handlers for a new view or an empty chat. */
export function readyHandlers<T extends OpenedServices>(
  { storage, connection, catalog, actions, settings, logger }: ReadyServices<T>,
  activeSession: Pick<ActiveSession, 'sessionId' | 'mode' | 'show' | 'showMode'>,
  stored: Surroundings<T>,
): Pick<HostApi, 'ready' | 'newChat'> {
  const showNone = async (): Promise<void> => {
    activeSession.show(null);
    await activeSession.showMode(null);
  };
  /** Returns the last shown session, or null if it cannot be read. A failed read does not reset it. */
  const lastShown = async (opened: T | undefined): Promise<string | null> => {
    if (activeSession.sessionId === null || opened === undefined) return null;
    try {
      if ((await stored.sessionsOf(opened).get(activeSession.sessionId)) === undefined) await showNone();
      return activeSession.sessionId;
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
        mode: activeSession.mode,
        workspace: workspaceState(),
        models: await catalog.state(),
        pulls: actions.state,
        ...(await hostSystem()),
        connection: connection.state,
        storage: storage.state,
        grants: {
          ...noGrants,
          commands: settings.getAgentConfig().autoApproveCommands,
          sandbox: settings.getSandboxConfig().isEnabled,
        },
        inEditor: await stored.inEditor(),
        l10n: bundle(),
      };
    },
    newChat: async () => {
      stored.leave();
      await showNone();
      return { mode: activeSession.mode };
    },
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
