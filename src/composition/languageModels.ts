import { ContextWindows, type WindowStore } from '../services/model/context/contextWindows';
import { ChatModels } from '../vscode/languageModels/chatModels';
import type { WindowServices } from './contribution';

/** Returns what offers the server's models to the editor: loaded when the editor first asks for them. */
export async function chatModels({ server, storage, settings, logger }: WindowServices): Promise<ChatModels> {
  const { client, models } = await server();
  // The same windows as in the chat: another one would make the server load the model again.
  const store: WindowStore = {
    windowOf: async (digest) => (await storage.open()).models.windowOf(digest),
    keepWindow: async (digest, window) => (await storage.open()).models.keepWindow(digest, window),
  };
  return new ChatModels({ client, models, windows: new ContextWindows(store, settings, logger), settings });
}
