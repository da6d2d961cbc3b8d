import { ContextWindows, type WindowStore } from '../services/model/context/contextWindows';
import { ChatModels } from '../vscode/languageModels/chatModels';
import { generateCommitMessage } from '../vscode/commands/commitMessage';
import type { WindowServices } from './contribution';

type ModelSurroundings = Pick<WindowServices, 'server' | 'storage' | 'settings' | 'logger'>;

/** Returns the windows of the chat: another one would make the server load a model again. */
function sharedWindows({ storage, settings, logger }: ModelSurroundings): ContextWindows {
  const store: WindowStore = {
    windowOf: async (digest) => (await storage.open()).models.windowOf(digest),
    keepWindow: async (digest, window) => (await storage.open()).models.keepWindow(digest, window),
  };
  return new ContextWindows(store, settings, logger);
}

/** Writes a commit message, see `generateCommitMessage`. */
export async function writeCommitMessage(given: unknown, services: ModelSurroundings): Promise<void> {
  const { client, models } = await services.server();
  await generateCommitMessage(given, { client, models, windows: sharedWindows(services), settings: services.settings });
}

/** Returns what offers the server's models to the editor: loaded when the editor first asks for them. */
export async function chatModels(services: ModelSurroundings): Promise<ChatModels> {
  const { client, models } = await services.server();
  return new ChatModels({ client, models, windows: sharedWindows(services), settings: services.settings });
}
