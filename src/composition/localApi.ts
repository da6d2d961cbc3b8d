import * as vscode from 'vscode';
import { ApiServer } from '../api/apiServer';
import { newToken } from '../api/apiToken';
import type { ApiHost, ApiScope } from '../api/apiPorts';
import type { Settings } from '../config/settings';
import { trustedFolders } from '../services/files/workspacePorts';
import { exportFormatOf, withoutSecrets } from '../services/export/exportNames';
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
  /** The storage root as configured now. */
  folder: () => string;
  version: string;
}

/** The API is not running, or cannot be started. */
class LocalApiError extends AppError {
  readonly code = 'localApi';
}

const hourMs = 3_600_000;

/** The local API of this window, while it is on. */
export class LocalApi implements Disposable {
  private server: ApiServer | undefined;
  /** Starts and stops go one after the other. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly around: LocalApiSurroundings) {}

  /** Resolves with its address. Rejects where its port is taken, or the storage does not open. */
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

  /** Puts address, token and a new key of a client into the clipboard, as a shell takes them. */
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
      modelFor: (mode) => settings.getModeConfig(mode).model || null,
      askForClient,
      askForFolder,
      exportSession: async (id, format) =>
        (await loaded.exporter(services)).pieces(id, { format: exportFormatOf(format), options: withoutSecrets }),
      folders: () => trustedFolders(workspace),
      clock: systemClock,
      logger,
    };
    const { port } = settings.getApiConfig();
    try {
      return await ApiServer.start(services, host, { port, folder: folder(), version });
    } catch (error) {
      const words = phrase('The local API could not be started: {0}', messageOf(error));
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
  const always = vscode.l10n.t('Allow Until It Is Stopped');
  const question =
    scope === 'run'
      ? vscode.l10n.t(
          '“{0}” wants to answer, through the local API, what the agent asks permission for. Commands may run by that.',
          client,
        )
      : vscode.l10n.t('“{0}” wants to send messages and change sessions and files through the local API.', client);
  const givenUp = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const answer = await Promise.race([vscode.window.showWarningMessage(question, hour, always), givenUp]);
  if (answer === hour) return hourMs;
  return answer === always ? Number.MAX_SAFE_INTEGER / 2 : null;
}

function askForFolder(client: string, folder: string): Promise<boolean> {
  const text = vscode.l10n.t('Let “{0}” write files of a checkpoint into a folder outside the workspace?', client);
  return confirm({ text, detail: folder, yes: vscode.l10n.t('Write Files') });
}
