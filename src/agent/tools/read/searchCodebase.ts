import { z } from 'zod';
import type { WorkspaceFind, WorkspaceSearch } from '../../../services/codebase/codebaseTypes';
import { CodebaseError } from '../../../services/codebase/codebaseClient';
import { translatable } from '../../../types/texts';
import { t } from '../../../utils/l10n';
import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import type { FileAccess } from '../../approvals/fileAccess';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';

const maxShown = 10;
/** Maximum characters of a query. */
const maxQuery = 4_000;
/** Maximum total characters of all chunks. */
const maxLength = 14_000;

const schema = z.object({
  query: z.string().min(1).describe('What the code does or is about, in words; names of functions and types help'),
});

/** Searches code by keyword, symbol and meaning. The index excludes ignored, secret, generated and binary files. */
export function searchCodebaseTool(access: Pick<FileAccess, 'patterns'>, search: WorkspaceSearch): Tool {
  return defineTool({
    name: 'search_codebase',
    otherNames: ['codebasesearch', 'semanticsearch', 'searchcode'],
    description:
      'When you do not know where something is or what it is called, use this first: it finds the pieces of code that fit a description best, with their places. For an exact text use search_workspace.',
    schema,
    aliases: { question: 'query', text: 'query', search: 'query', q: 'query', description: 'query' },
    isOptional: true,
    effect: 'none',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Searched the code for {0}',
        running: 'Searching the code for {0}',
        planned: 'Search the code for {0}',
        failed: 'Could not search the code for {0}',
        stopped: 'Did not search the code for {0}',
      }),
    },
    modes: 'every',
    label: ({ query }) => `“${query}”`,
    run: async ({ query }, { sessionId, signal }) => {
      const sensitivity = new FileSensitivity(...(await access.patterns(sessionId)));
      try {
        const { finds, isPartial } = await search.find(query.slice(0, maxQuery), maxShown, signal);
        return describe(
          query,
          finds.filter(({ path }) => !sensitivity.isSecret(path)),
          isPartial,
        );
      } catch (error) {
        if (!(error instanceof CodebaseError)) throw error;
        return failure({
          local: t('The code index could not be searched.'),
          english: `${error.message}. Use search_workspace instead.`,
        });
      }
    },
  });
}

function describe(query: string, finds: readonly WorkspaceFind[], isPartial: boolean): ToolResult {
  const notes = isPartial ? ['[Files are still being indexed; there may be more.]'] : [];
  if (finds.length === 0)
    return { status: 'success', content: [`Nothing found for ${query}.`, ...notes].join('\n'), summary: t('nothing found') };
  const parts: string[] = [];
  let length = 0;
  for (const { path, file, first, last, symbols, text } of finds) {
    const names = symbols.length === 0 ? '' : ` (${symbols.slice(0, 6).join(', ')})`;
    const head = `${path}:${first}-${last}${names}${file === null ? ' [from the shared index, not a file of this workspace]' : ''}`;
    const isShown = length + text.length <= maxLength;
    length += isShown ? text.length : 0;
    parts.push(isShown ? `${head}\n${text}\n` : `${head}\n[${file === null ? 'left out' : 'read it with read_file'}]\n`);
  }
  const files = new Set(finds.map(({ path }) => path)).size;
  const summary =
    finds.length === 1
      ? t('1 place in 1 file')
      : files === 1
        ? t('{0} places in 1 file', finds.length)
        : t('{0} places in {1} files', finds.length, files);
  const places = finds.flatMap(({ path, file, first, last }) =>
    file === null ? [] : [{ path, startLine: first, endLine: last }],
  );
  return { status: 'success', content: [...parts, ...notes].join('\n'), summary, places };
}
