import * as vscode from 'vscode';
import { ApiServer } from '../api/apiServer';
import { newToken } from '../api/apiToken';
import type { ApiHost, ApiScope } from '../api/apiPorts';
import type { Settings } from '../config/settings';
import { trustedFolders } from '../services/files/workspacePorts';
import { findExportFormat, withoutSecrets } from '../services/export/exportNames';
import { systemClock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import { AppError, messageOf } from '../utils/errors';
import { phrase } from '../utils/l10n';
import { confirm } from '../vscode/confirm';
import { EditorWorkspace } from '../vscode/workspace/editorWorkspace';
import type { Chat } from './chat';

export interface LocalApiSurroundings {
  chat: () => Promise<Chat>;
  settings: Settings;
  logger: vscode.LogOutputChannel;
  /** Returns the configured storage root. */
  folder: () => string;
  version: string;
}

class LocalApiError extends AppError {
  readonly code = 'localApi';
}

const hourMs = 3_600_000;

/** Local API of this window. It has a server while it is running. */
export class LocalApi implements Disposable {
  private server: ApiServer | undefined;
  /** Queue that runs starts and stops one at a time. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly around: LocalApiSurroundings) {}

  /** Starts the API and resolves with its address. Rejects if the port is in use or the storage cannot be opened. */
  start(): Promise<string> {
    return this.next(async () => {
      this.server ??= await this.create();
      return this.server.url;
    });
  }

  stop(): Promise<void> {
    return this.next(async () => {
      const { server } = this;
      this.server = undefined;
      await server?.dispose();
    });
  }

  /** Copies the address, the token and a new client key to the clipboard as shell variables. */
  async copyAccess(): Promise<void> {
    if (this.server === undefined)
      throw new LocalApiError('Not running', phrase('The local API is not running. Start it, then try again.'));
    const { url, token } = this.server;
    const key = newToken();
    await vscode.env.clipboard.writeText(
      `export OLLAMA_COPILOT_URL=${url} OLLAMA_COPILOT_TOKEN=${token} OLLAMA_COPILOT_CLIENT_KEY=${key}`,
    );
  }

  dispose(): Promise<void> {
    return this.stop();
  }

  private async create(): Promise<ApiServer> {
    const { chat, settings, logger, folder, version } = this.around;
    const loaded = await chat();
    const services = await loaded.stored();
    const workspace = new EditorWorkspace();
    const host: ApiHost = {
      currentSession: () => loaded.shownSession,
      hasPerson: () => true,
      modelFor: (mode) => settings.getModeConfig(mode).model || null,
      askForClient,
      askForFolder,
      exportSession: async (id, format) =>
        (await loaded.exporter(services)).pieces(id, { format: findExportFormat(format), options: withoutSecrets }),
      importSessions: (paths) => services.importer.import(paths, () => undefined, new AbortController().signal),
      folders: () => trustedFolders(workspace),
      clock: systemClock,
      logger,
    };
    const { port } = settings.getApiConfig();
    try {
      return await ApiServer.start(services, host, { port, folder: folder(), version });
    } catch (error) {
      const words = phrase('Could not start the local API: {0}', messageOf(error));
      throw new LocalApiError(messageOf(error), words, { cause: error });
    }
  }

  private next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

async function askForClient(client: string, scope: ApiScope, signal: AbortSignal): Promise<number | null> {
  const hour = vscode.l10n.t('Allow for 1 Hour');
  const always = vscode.l10n.t('Allow Until the API Stops');
  const question =
    scope === 'run'
      ? vscode.l10n.t(
          '“{0}” wants to answer the agent’s approval requests through the local API. This can allow commands to run.',
          client,
        )
      : vscode.l10n.t('“{0}” wants to send messages and change chats and files through the local API.', client);
  const givenUp = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const answer = await Promise.race([vscode.window.showWarningMessage(question, hour, always), givenUp]);
  if (answer === hour) return hourMs;
  return answer === always ? Number.MAX_SAFE_INTEGER / 2 : null;
}

function askForFolder(client: string, folder: string): Promise<boolean> {
  const text = vscode.l10n.t('Let “{0}” write the files of a checkpoint to a folder outside the workspace?', client);
  return confirm({ text, detail: folder, yes: vscode.l10n.t('Write Files') });
}
