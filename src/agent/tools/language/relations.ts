import { translatable } from '../../../types/texts';
import type { CodeRelation } from '../../kernel/languagePort';
import type { Tool } from '../kernel/tool';
import { formatCount, listed, noPlaces, symbolTool, type LanguageServices } from './languageTool';

type Words = Pick<Parameters<typeof symbolTool>[1], 'name' | 'otherNames' | 'description' | 'row'> & { what: string };

const relations: Readonly<Record<CodeRelation, Words>> = {
  definition: {
    name: 'find_definition',
    otherNames: ['gotodefinition', 'getdefinition'],
    description: 'Find where a symbol that a file uses is defined. Better than a search: it knows imports and scopes.',
    what: 'definition',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Found the definition of {0}',
        running: 'Finding the definition of {0}',
        planned: 'Find the definition of {0}',
        failed: 'Could not find the definition of {0}',
        stopped: 'Did not look up the definition of {0}',
      }),
    },
  },
  references: {
    name: 'find_references',
    otherNames: ['getreferences', 'findusages', 'findallreferences'],
    description: 'Find every place that uses a symbol. Use it before you change or rename one.',
    what: 'use',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Found references to {0}',
        running: 'Finding references to {0}',
        planned: 'Find references to {0}',
        failed: 'Could not find references to {0}',
        stopped: 'Did not look up references to {0}',
      }),
    },
  },
  implementations: {
    name: 'find_implementations',
    otherNames: ['getimplementations', 'gotoimplementation'],
    description: 'Find what implements an interface, or overrides an abstract class or method.',
    what: 'implementation',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Found implementations of {0}',
        running: 'Finding implementations of {0}',
        planned: 'Find implementations of {0}',
        failed: 'Could not find implementations of {0}',
        stopped: 'Did not look up implementations of {0}',
      }),
    },
  },
};

export function relationTool(services: LanguageServices, relation: CodeRelation): Tool {
  const { what, ...words } = relations[relation];
  return symbolTool(services, {
    ...words,
    answer: async (asked, language) => {
      const { place, own, visible, signal } = asked;
      const places = await visible.of(await language.related(relation, place, signal), own);
      if (places.length === 0) return noPlaces(what, asked);
      return { status: 'success', content: (await listed(places, visible)).join('\n'), summary: formatCount(places.length) };
    },
  });
}
