import { z } from 'zod';
import { keepLineEnds } from '../../../utils/text/lineEnds';
import { detectLineEnd, plainLineEnds } from '../../../utils/text/textFile';
import { diffLines } from '../../../utils/text/lineDiff';
import { splitEditorLines } from '../../../utils/text/lineEdits';
import { movedPlace } from '../../../utils/text/rebasedText';
import { splitLines } from '../../../utils/text/unifiedDiff';
import { pathAliases } from '../kernel/pathAliases';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';
import { confirmReveal, changeText, editedFile, fileToEdit, mayReveal, withWriteErrors, type EditServices } from './editing';
import { t } from '../../../utils/l10n';
import { endsBeforeStart, tooFewLines } from '../read/readFile';
import { lineEdits } from './editHistory';
import { numberedLines } from './failedPlace';
import { withoutLineNumbers } from './healing/numbers';

const schema = z.object({
  path: z.string().describe('Path of the file, relative to the workspace'),
  startLine: z.number().int().min(1).describe('First line to replace, counting from 1'),
  endLine: z.number().int().min(1).describe('Last line to replace'),
  newText: z.string().describe('The lines to put in their place, without line numbers; empty to delete them'),
});

/** Number of context lines in the result. */
const contextLines = 3;

/** Replaces lines by number. Offered after text edits have failed. The model must have seen the current lines. */
export function replaceLinesTool(services: EditServices): Tool {
  return defineTool({
    name: lineEdits,
    description: 'Replace whole lines of a file by their numbers. Read the lines first: the numbers must be those of now.',
    schema,
    aliases: {
      ...pathAliases,
      start: 'startLine',
      from: 'startLine',
      lineStart: 'startLine',
      firstLine: 'startLine',
      end: 'endLine',
      to: 'endLine',
      lineEnd: 'endLine',
      lastLine: 'endLine',
      content: 'newText',
      text: 'newText',
      new: 'newText',
      newString: 'newText',
      newStr: 'newText',
      replacement: 'newText',
    },
    effect: 'files',
    alsoIn: ['edit'],
    when: 'failedEdits',
    row: editedFile,
    label: ({ path }) => path,
    run: async ({ path, startLine, endLine, newText }, context) => {
      if (endLine < startLine) return failure(endsBeforeStart(startLine, endLine));
      const target = await fileToEdit(path, services, context);
      const { shown } = target;
      if (context.edits?.hasSeenLines(shown) !== true)
        return failure({
          local: t('The model has to read {0} before it replaces lines.', shown),
          english: `Nothing was changed: ${shown} has to be read first, since its line numbers may be others now.`,
        });
      return withWriteErrors(shown, async () => {
        const file = await services.changes.readText(target);
        const lines = splitLines(file.text);
        if (endLine > lines.length)
          return (
            (await confirmReveal(target, context)) ??
            failure({
              local: tooFewLines(shown, lines.length),
              english: `${shown} has ${lines.length} lines; endLine was ${endLine}.`,
            })
          );
        const old = lines.slice(startLine - 1, endLine).join('');
        const around = lines.slice(Math.max(0, startLine - 2), endLine + 1);
        const put = asLines(newText, startLine, old.endsWith('\n'), around);
        const after = [
          ...lines.slice(0, startLine - 1),
          keepLineEnds(old, put, detectLineEnd(file.text)),
          ...lines.slice(endLine),
        ].join('');
        let written = after;
        const result = await changeText(file, after, target, services, context, (text) => (written = text));
        if (result.status !== 'success' || !mayReveal(target)) return result;
        const [wanted, now] = [after, written].map((text) => splitEditorLines(plainLineEnds(text))) as [string[], string[]];
        const first = movedPlace(diffLines(wanted, now), startLine - 1) + 1;
        const last = first + splitLines(put).length - 1;
        const { text, ...shownLines } = numberedLines(now, first - contextLines, last + contextLines);
        const details = { ...result.details, ...shownLines };
        return { ...result, content: `${result.content}\nThe lines there are now, with their numbers:\n${text}`, details };
      });
    },
  });
}

/**
 * Returns the new text as whole lines, without copied line numbers.
 * `around` contains the replaced lines and one line on each side.
 */
function asLines(newText: string, startLine: number, isEnded: boolean, around: readonly string[]): string {
  if (newText === '') return '';
  const lines = plainLineEnds(newText).replace(/\n$/, '').split('\n');
  return withoutLineNumbers(lines, startLine, around).join('\n') + (isEnded ? '\n' : '');
}
