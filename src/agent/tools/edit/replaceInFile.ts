import { z } from 'zod';
import { confirmReveal, changeText, editedFile, fileToEdit, mayReveal, withWriteErrors, type EditServices } from './editing';
import type { FoundText } from './textMatch';
import { replaceText } from './textReplacement';
import { placeNotFound } from './failedPlace';
import { correctedDetails, slipNote } from './healing/slipTexts';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';
import { pathAliases } from '../kernel/pathAliases';
import { t, type Phrase } from '../../../utils/l10n';
import { cutHead } from '../../../types/cutText';

const schema = z.object({
  path: z.string().describe('Path of the file, relative to the workspace'),
  oldText: z.string().describe('The text to replace, exactly as it is in the file, with enough lines around it to be unique'),
  newText: z.string().describe('What to put in its place; empty to delete it'),
  replaceAll: z
    .boolean()
    .optional()
    .describe('Whether to replace every place where oldText is found; by default there must be one'),
});

const maxPlaces = 20;

export function replaceInFileTool(services: EditServices): Tool {
  return defineTool({
    name: 'replace_in_file',
    description: 'Replace a piece of text in a file. oldText must be copied from the file and be found there once.',
    schema,
    aliases: {
      ...pathAliases,
      old: 'oldText',
      oldString: 'oldText',
      oldStr: 'oldText',
      oldCode: 'oldText',
      search: 'oldText',
      searchText: 'oldText',
      find: 'oldText',
      target: 'oldText',
      new: 'newText',
      newString: 'newText',
      newStr: 'newText',
      newCode: 'newText',
      replace: 'newText',
      replacement: 'newText',
      replaceText: 'newText',
      all: 'replaceAll',
      allowMultiple: 'replaceAll',
    },
    effect: 'files',
    alsoIn: ['edit'],
    row: editedFile,
    label: ({ path }) => path,
    run: async ({ path, oldText, newText, replaceAll = false }, context) => {
      if (oldText === '')
        return failure({
          local: t('The model did not specify the text to replace.'),
          english: 'oldText is empty. Give the text to replace, or use write_file for a whole file.',
        });
      if (oldText === newText)
        return failure({
          local: t('The new text is the same as the old text.'),
          english: 'oldText and newText are the same, so there is nothing to change.',
        });
      const target = await fileToEdit(path, services, context);
      const { shown } = target;
      return withWriteErrors(shown, async () => {
        const file = await services.changes.readText(target);
        const replaced = replaceText(file.text, oldText, newText, replaceAll, services.aids);
        if (!('text' in replaced)) {
          const { found } = replaced;
          const places = found.kind === 'several' ? { places: found.lines } : {};
          const about = { shown, text: file.text, asked: oldText.split('\n'), aids: services.aids, ...places };
          return (await confirmReveal(target, context)) ?? placeNotFound(notFound(shown, found), about, context);
        }
        const result = await changeText(file, replaced.text, target, services, context);
        if (result.status !== 'success') return result;
        const { slip } = replaced.found;
        const details = { ...result.details, ...correctedDetails(slip === undefined ? [] : [slip]) };
        return { ...result, details, content: `${mayReveal(target) ? remark(replaced.found) : ''}${result.content}` };
      });
    },
  });
}

function remark({ matches, slip }: Extract<FoundText, { kind: 'found' }>): string {
  const notes = [];
  if (slip !== undefined) notes.push(slipNote('oldText', slip));
  if (matches.length > 1) notes.push(`Replaced in ${matches.length} places.`);
  return notes.map((note) => `${note}\n`).join('');
}

function notFound(shown: string, found: Exclude<FoundText, { kind: 'found' }>): Phrase {
  if (found.kind === 'several') {
    const lines = found.lines.slice(0, maxPlaces).join(', ');
    const more = found.lines.length > maxPlaces ? ' and more' : '';
    return {
      local: t('The text to replace is in {0} more than once.', shown),
      english: `oldText is in ${shown} ${found.lines.length} times, at lines ${lines}${more}. Nothing was changed. Give more of the lines around the place, or set replaceAll to true.`,
    };
  }
  const local = t('The text to replace was not found in {0}.', shown);
  const start = `oldText was not found in ${shown}. Nothing was changed.`;
  if (found.nearest.length === 0) return { local, english: `${start} Nothing in it is like it: read the file again.` };
  const nearest = found.nearest.map(({ line, text }) => `${line}: ${text.length > 500 ? `${cutHead(text, 500)}…` : text}`);
  const english = [
    `${start} The nearest lines, with their numbers:`,
    ...nearest,
    'Copy oldText from the file as it is, without the numbers.',
  ].join('\n');
  return { local, english };
}
