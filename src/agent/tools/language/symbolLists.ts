import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { phrase, t } from '../../../utils/l10n';
import { mayRead } from '../../approvals/readConsent';
import type { CodeSymbol } from '../../kernel/languagePort';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';
import { pathAliases } from '../kernel/pathAliases';
import { declinedRead } from '../read/readFile';
import { listed, type LanguageServices } from './languageTool';
import { plainName } from './symbolPlace';
import { VisiblePlaces } from './visiblePlaces';

const maxSymbols = 400;

export function documentSymbolsTool({ access, language }: LanguageServices): Tool {
  return defineTool({
    name: 'get_document_symbols',
    otherNames: ['documentsymbols', 'outline', 'getsymbols', 'listsymbols'],
    description: 'List the classes, functions and other symbols of a file with their lines. Cheaper than to read a long file.',
    schema: z.object({ path: z.string().describe('File, relative to the workspace') }),
    aliases: pathAliases,
    effect: 'none',
    modes: 'every',
    isOptional: true,
    row: {
      family: 'read',
      titles: translatable({
        done: 'Read the outline of {0}',
        running: 'Reading the outline of {0}',
        planned: 'Asks to read the outline of {0}',
        failed: 'Could not read the outline of {0}',
        stopped: 'Did not read the outline of {0}',
      }),
      about: { kind: 'file', argument: 'path' },
    },
    label: ({ path }) => path,
    run: async ({ path }, { sessionId, signal, approve }) => {
      const target = await access.forReading(path, sessionId);
      const { shown } = target;
      if (!target.exists) return failure(phrase('There is no file {0}.', shown));
      if (!(await mayRead(target, { approve }))) return declinedRead(target.readReasons);
      const symbols = await language.symbols(target.real, signal);
      if (symbols === null || symbols.length === 0) {
        const content = `The editor knows no symbols in ${shown}. If it has no language support for it, use read_file or search_workspace.`;
        return { status: 'success', content, summary: t('nothing found'), details: { path: shown } };
      }
      const lines = outline(symbols, '');
      const content = lines.slice(0, maxSymbols);
      if (content.length < lines.length) content.push(`[${content.length} of ${lines.length} symbols are shown.]`);
      const summary = lines.length === 1 ? t('1 symbol') : t('{0} symbols', lines.length);
      return { status: 'success', content: content.join('\n'), summary, details: { path: shown } };
    },
  });
}

export function findSymbolTool({ access, language }: LanguageServices): Tool {
  return defineTool({
    name: 'find_symbol',
    otherNames: ['workspacesymbols', 'searchsymbols', 'findsymbols'],
    description:
      'Find classes, functions and other symbols of the workspace by name or a part of it, with where they are defined.',
    schema: z.object({ query: z.string().min(1).describe('Name of the symbol, or a part of it') }),
    aliases: { name: 'query', symbol: 'query', symbolName: 'query', search: 'query' },
    effect: 'none',
    modes: 'every',
    isOptional: true,
    row: {
      family: 'search',
      titles: translatable({
        done: 'Searched for the symbol {0}',
        running: 'Searching for the symbol {0}',
        planned: 'Search for the symbol {0}',
        failed: 'Could not search for the symbol {0}',
        stopped: 'Did not search for the symbol {0}',
      }),
    },
    label: ({ query }) => query,
    run: async ({ query }, { sessionId, signal }) => {
      const visible = new VisiblePlaces(access, language, sessionId);
      const places = await visible.of(await language.find(query, signal));
      const rank = (one: CodeSymbol) => {
        const name = plainName(one.name);
        return name === query ? 0 : name.toLowerCase() === query.toLowerCase() ? 1 : 2;
      };
      places.sort((one, other) => rank(one) - rank(other));
      if (places.length === 0) {
        const content = `The editor knows no symbol like ${query} in the files that may be seen. Some language extensions know only projects of which a file was opened. Use search_workspace.`;
        return { status: 'success', content, summary: t('nothing found') };
      }
      const lines = await listed(places, visible, (line, index) => {
        const { kind, name, container } = places[index] as CodeSymbol;
        return `${kind} ${container ? `${container}.` : ''}${name}  ${line}`;
      });
      const summary = places.length === 1 ? t('1 symbol') : t('{0} symbols', places.length);
      return { status: 'success', content: lines.join('\n'), summary };
    },
  });
}

function outline(symbols: readonly CodeSymbol[], indent: string): string[] {
  return symbols.flatMap(({ kind, name, line, endLine, children }) => [
    `${indent}${line}${endLine > line ? `-${endLine}` : ''}: ${kind} ${name}`,
    ...outline(children, `${indent}  `),
  ]);
}
