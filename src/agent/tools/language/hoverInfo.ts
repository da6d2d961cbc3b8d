import { translatable } from '../../../types/texts';
import type { Tool } from '../kernel/tool';
import { noPlaces, symbolTool, type LanguageServices } from './languageTool';
import { cutHead } from '../../../types/cutText';

const maxText = 4000;

export function hoverInfoTool(services: LanguageServices): Tool {
  return symbolTool(services, {
    name: 'get_hover_info',
    otherNames: ['hover', 'gethover', 'gettypeinfo'],
    description: 'Get the type, signature and documentation of a symbol, as the editor shows them on hovering.',
    row: {
      family: 'read',
      titles: translatable({
        done: 'Read the type of {0}',
        running: 'Reading the type of {0}',
        planned: 'Asks to read the type of {0}',
        failed: 'Could not read the type of {0}',
        stopped: 'Did not look up the type of {0}',
      }),
    },
    answer: async (asked, language) => {
      const texts = (await language.hover(asked.place, asked.signal)).map((text) => text.trim()).filter((text) => text !== '');
      if (texts.length === 0) return noPlaces('type or documentation', asked);
      const text = texts.join('\n\n');
      const content = text.length > maxText ? `${cutHead(text, maxText)}…\n[Cut after ${maxText} characters.]` : text;
      return { status: 'success', content: `${asked.own.shown}:${asked.place.line}\n${content}` };
    },
  });
}
