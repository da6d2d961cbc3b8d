import { ContextWindows, type WindowStore } from '../services/model/context/contextWindows';
import { ChatModels } from '../vscode/languageModels/chatModels';
import { generateCommitMessage } from '../vscode/commands/commitMessage';
import type { WindowServices } from './contribution';

type ModelSurroundings = Pick<WindowServices, 'server' | 'storage' | 'settings' | 'logger'>;

/** Returns the context windows that the chat uses. A different size would make the server reload the model. */
function sharedWindows({ storage, settings, logger }: ModelSurroundings): ContextWindows {
  const store: WindowStore = {
    readWindow: async (digest) => (await storage.open()).models.readWindow(digest),
    keepWindow: async (digest, window) => (await storage.open()).models.keepWindow(digest, window),
    readOwnWindow: async (digest) => (await storage.open()).models.readOwnWindow(digest),
  };
  return new ContextWindows(store, settings, logger);
}

/** See `generateCommitMessage`. */
export async function writeCommitMessage(given: unknown, services: ModelSurroundings): Promise<void> {
  const { client, models } = await services.server();
  await generateCommitMessage(given, { client, models, windows: sharedWindows(services), settings: services.settings });
}

/** Returns the provider of chat models. Loaded at the first request from VS Code. */
export async function chatModels(services: ModelSurroundings): Promise<ChatModels> {
  const { client, models } = await services.server();
  return new ChatModels({ client, models, windows: sharedWindows(services), settings: services.settings });
}
