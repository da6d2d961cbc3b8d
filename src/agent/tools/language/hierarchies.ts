import { translatable } from '../../../types/texts';
import type { CodeHierarchy } from '../../kernel/languagePort';
import type { Tool } from '../kernel/tool';
import { formatCount, listed, noPlaces, symbolTool, type AskedSymbol, type LanguageServices } from './languageTool';
import type { LanguagePort } from '../../kernel/languagePort';

export function callHierarchyTool(services: LanguageServices): Tool {
  return symbolTool(services, {
    name: 'get_call_hierarchy',
    otherNames: ['callhierarchy', 'findcallers', 'getcallers'],
    description: 'Find who calls a function, and what it calls.',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Found calls to and from {0}',
        running: 'Finding calls to and from {0}',
        planned: 'Find calls to and from {0}',
        failed: 'Could not find calls to and from {0}',
        stopped: 'Did not look up calls to and from {0}',
      }),
    },
    answer: (asked, language) =>
      bothWays(asked, language, [
        ['callers', 'Called by:'],
        ['callees', 'Calls:'],
      ]),
  });
}

export function typeHierarchyTool(services: LanguageServices): Tool {
  return symbolTool(services, {
    name: 'get_type_hierarchy',
    otherNames: ['typehierarchy', 'findsubtypes'],
    description: 'Find what a class or interface extends, and what extends it.',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Found the type hierarchy of {0}',
        running: 'Finding the type hierarchy of {0}',
        planned: 'Find the type hierarchy of {0}',
        failed: 'Could not find the type hierarchy of {0}',
        stopped: 'Did not look up the type hierarchy of {0}',
      }),
    },
    answer: (asked, language) =>
      bothWays(asked, language, [
        ['supertypes', 'Extends:'],
        ['subtypes', 'Extended by:'],
      ]),
  });
}

async function bothWays(
  asked: AskedSymbol,
  language: LanguagePort,
  ways: readonly [CodeHierarchy, string][],
): ReturnType<Parameters<typeof symbolTool>[1]['answer']> {
  const parts: string[] = [];
  let count = 0;
  for (const [kind, heading] of ways) {
    const places = await asked.visible.of(await language.hierarchy(kind, asked.place, asked.signal), asked.own);
    if (places.length === 0) continue;
    count += places.length;
    parts.push(heading, ...(await listed(places, asked.visible, (line, index) => `  ${places[index]?.name ?? ''}  ${line}`)));
  }
  if (count === 0) return noPlaces('relation', asked);
  return { status: 'success', content: parts.join('\n'), summary: formatCount(count) };
}
