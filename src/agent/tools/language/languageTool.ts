import { z } from 'zod';
import { phrase, t } from '../../../utils/l10n';
import type { FileAccess } from '../../approvals/fileAccess';
import { mayRead } from '../../approvals/readConsent';
import type { CodePlace, LanguagePort } from '../../kernel/languagePort';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolDefinition, type ToolResult } from '../kernel/tool';
import { pathAliases } from '../kernel/pathAliases';
import { declinedRead } from '../read/readFile';
import { findSymbolPlace } from './symbolPlace';
import { VisiblePlaces, type VisiblePlace } from './visiblePlaces';

export interface LanguageServices {
  access: Pick<FileAccess, 'forReading'>;
  language: LanguagePort;
}

const maxShown = 100;

const schema = z.object({
  path: z.string().describe('File that has the symbol in it, relative to the workspace'),
  symbolName: z.string().optional().describe('Name of the symbol as it stands in the file'),
  line: z.number().int().optional().describe('Its line, from 1, where the name stands more than once or is not given'),
  character: z.number().int().optional().describe('Its first character in that line, from 1'),
});

const symbolAliases = {
  ...pathAliases,
  name: 'symbolName',
  symbol: 'symbolName',
  identifier: 'symbolName',
  function: 'symbolName',
  functionName: 'symbolName',
  lineNumber: 'line',
  row: 'line',
  column: 'character',
  col: 'character',
} as const;

export interface AskedSymbol {
  place: CodePlace;
  name: string;
  language: string;
  own: { real: string; shown: string };
  visible: VisiblePlaces;
  signal: AbortSignal;
}

interface SymbolTool extends Pick<ToolDefinition<typeof schema>, 'name' | 'otherNames' | 'description' | 'row'> {
  /** Resolves with the result of the language extension. */
  answer: (asked: AskedSymbol, language: LanguagePort) => Promise<ToolResult>;
}

/** Creates a reading tool that queries the language extension of the editor about one symbol. */
export function symbolTool({ access, language }: LanguageServices, definition: SymbolTool): Tool {
  const { answer, ...described } = definition;
  return defineTool({
    ...described,
    schema,
    aliases: symbolAliases,
    effect: 'none',
    modes: 'every',
    isOptional: true,
    label: ({ path, symbolName, line }) => symbolName ?? (line === undefined ? path : `${path}:${line}`),
    run: async ({ path, ...request }, { sessionId, signal, approve }) => {
      const target = await access.forReading(path, sessionId);
      if (!target.exists) return failure(phrase('There is no file {0}.', target.shown));
      if (!(await mayRead(target, { approve }))) return declinedRead(target.readReasons);
      const document = await language.text(target.real);
      if (document === null)
        return failure({
          local: t('The editor could not open {0} as text.', target.shown),
          english: `${target.shown} is no text that the editor can open.`,
        });
      const symbols = (await language.symbols(target.real, signal)) ?? [];
      const found = findSymbolPlace(target.real, document.text, symbols, request);
      if ('problem' in found) {
        const { local, english } = found.problem;
        return failure({ local: `${target.shown}: ${local}`, english: `${target.shown}: ${english}` });
      }
      const visible = new VisiblePlaces(access, language, sessionId);
      return answer({ ...found, language: document.language, own: target, visible, signal }, language);
    },
  });
}

/** Formats the places, one on each line, up to a maximum number. */
export async function listed(
  places: readonly VisiblePlace[],
  visible: VisiblePlaces,
  describe: (line: string, index: number) => string = (line) => line,
): Promise<string[]> {
  const shown = places.slice(0, maxShown);
  const lines: string[] = [];
  for (const [index, place] of shown.entries()) lines.push(describe(await visible.line(place), index));
  if (shown.length < places.length) lines.push(`[${shown.length} of ${places.length} are shown.]`);
  return lines;
}

/** Returns the result if no places were found, with an alternative tool for the model. */
export function noPlaces(what: string, { language, name }: Pick<AskedSymbol, 'language' | 'name'>): ToolResult {
  const content = `The editor knows no ${what} of ${name} in the files that may be seen. If it has no language support for ${language}, or it is still starting, use search_workspace.`;
  return { status: 'success', content, summary: t('nothing found') };
}

export function formatCount(count: number): string {
  return count === 1 ? t('1 place') : t('{0} places', count);
}
