import type { AttachmentRef } from '../../../protocol/entries';
import type { ItemInEditor } from '../../../protocol/webviewEvents';
import { useMcpOfView } from '../../common/useMcpServers';
import type { SlashAction, SlashCommand } from './slashCommands';

interface Composer {
  attachments: () => readonly AttachmentRef[];
  suggestions: () => readonly ItemInEditor[];
  write: (text: string) => void;
  pin: (item: AttachmentRef) => void;
  run: (action: SlashAction) => void;
}

/** Returns a function that runs a command. If the command is a prompt and nothing is attached, it attaches the content of the editor. */
export function useSlashCommand(composer: Composer) {
  const { prompt } = useMcpOfView();

  return function runCommand(command: SlashCommand): void {
    if (command.kind === 'prompt') {
      composer.write(command.text);
      const last = composer.suggestions().at(-1);
      if (composer.attachments().length === 0 && last !== undefined) composer.pin(last.item);
      return;
    }
    composer.write('');
    if (command.kind === 'server') {
      void prompt(command.server, command.prompt).then((text) => text !== undefined && composer.write(text));
      return;
    }
    composer.run(command.action);
  };
}
