import { currentMode } from '../../views/activeSession';
import { commandNames, registerCommands, type CommandName } from '../../vscode/commands/register';
import type { Contribution } from '../contribution';

/** Registers all commands. Their implementation loads when a command is first called. */
export const commandsContribution: Contribution = {
  name: 'commands',
  start({ context, view, storage, logger, settings, servers, chat, server, completions, localApi, folder }) {
    const load = async () => {
      const { commands } = await import(/* webpackChunkName: "commands" */ './commands');
      return commands({
        view,
        storage,
        logger,
        chat,
        server,
        completions,
        localApi,
        settings,
        servers,
        folder,
        baseUrl: () => settings.baseUrl,
        mode: () => currentMode(context.workspaceState),
        extensionId: context.extension.id,
      });
    };
    const later =
      (name: CommandName) =>
      async (...args: unknown[]) =>
        (await load())[name](...args);
    return registerCommands(Object.fromEntries(commandNames.map((name) => [name, later(name)])), logger);
  },
};
