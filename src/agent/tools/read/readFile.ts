import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { formatInEnglish } from '../../../types/format';
import { translatable } from '../../../types/texts';
import { phrase, type Phrase, t } from '../../../utils/l10n';
import { AppError } from '../../../utils/errors';
import { holdsKey } from '../../../utils/sensitivity/keyShapes';
import { keyReason, type AccessTarget, type FileAccess } from '../../approvals/fileAccess';
import { LineWindow } from './lineWindow';
import { editorText } from '../../../services/files/fileState';
import { openVerified } from '../../../services/files/verifiedOpen';
import { KnownTexts } from '../../../services/files/knownTexts';
import type { OpenFiles } from '../../../services/files/workspacePorts';
import { mayRead } from '../../approvals/readConsent';
import { linesOfText, readTextLines, type TextLines } from './textLines';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import { pathAliases } from '../kernel/pathAliases';

const maxLines = 2000;
const maxBytes = 64 * 1024;

const schema = z.object({
  path: z.string().describe('Path of the file, relative to the workspace'),
  startLine: z.number().int().min(1).optional().describe('First line to read, counting from 1'),
  endLine: z.number().int().min(1).optional().describe('Last line to read'),
});

/**
 * Reads text in UTF-8, or in UTF-16 with a byte order mark, up to 2,000 lines and 64 KB at a time.
 * Unsaved changes in an editor take precedence. For other encodings, the text in the editor is used.
 */
export function readFileTool(
  access: Pick<FileAccess, 'forReading'>,
  editors: Pick<OpenFiles, 'get'>,
  { known } = { known: new KnownTexts() },
): Tool {
  return defineTool({
    name: 'read_file',
    otherNames: ['read', 'openfile', 'viewfile', 'getfilecontents', 'readfilecontents'],
    description: `Read a text file of the workspace, at most ${maxLines} lines at a time. Give startLine and endLine to read a part of it.`,
    schema,
    aliases: {
      ...pathAliases,
      start: 'startLine',
      from: 'startLine',
      lineStart: 'startLine',
      end: 'endLine',
      to: 'endLine',
      lineEnd: 'endLine',
    },
    effect: 'none',
    row: {
      family: 'read',
      titles: translatable({
        done: 'Read {0}',
        running: 'Reading {0}',
        planned: 'Asks to read {0}',
        failed: 'Could not read {0}',
        stopped: 'Did not read {0}',
      }),
      about: { kind: 'file', argument: 'path' },
    },
    modes: 'every',
    alsoIn: ['edit'],
    label: ({ path, startLine, endLine }) =>
      startLine === undefined && endLine === undefined ? path : `${path} ${startLine ?? 1}–${endLine ?? ''}`,
    run: async ({ path, startLine, endLine }, { sessionId, signal, approve }) => {
      if (endLine !== undefined && endLine < (startLine ?? 1)) return failure(endsBeforeStart(startLine ?? 1, endLine));
      const resolved = await access.forReading(path, sessionId, signal);
      if (!resolved.exists) return failure(phrase('There is no file {0}.', resolved.shown));
      // The file type is checked first, because opening a pipe would wait for its writer.
      const stats = await stat(resolved.real);
      if (stats.isDirectory()) return failure(phrase('{0} is a folder, not a file.', resolved.shown));
      if (!stats.isFile()) return failure(phrase('{0} is not a regular file.', resolved.shown));
      if (!(await mayRead(resolved, { approve }))) return declinedRead(resolved.readReasons);
      const inEditor = await editorText(resolved, editors);
      const window = chooseLines(startLine, endLine);
      const lines = inEditor === null ? await linesOnDisk(resolved, window, signal) : linesOfText(inEditor, window);
      if ('status' in lines) return lines;
      // The earlier scan for keys may have covered less text or an older version.
      const isNew = resolved.readReasons.length === 0 && resolved.needsKeyScan;
      if (isNew && (holdsKey(lines.text) || (inEditor !== null && holdsKey(inEditor)))) {
        const readReasons = [keyReason()];
        if (!(await mayRead({ shown: resolved.shown, readReasons }, { approve }))) return declinedRead(readReasons);
      }
      const file = { sessionId, path: resolved.real };
      if (isWhole(lines, startLine ?? 1)) known.set(file, lines.text);
      else if ((startLine ?? 1) === 1 && endLine === undefined) known.forget(file);
      return describe(lines, resolved.shown, startLine ?? 1, endLine);
    },
  });
}

function chooseLines(startLine = 1, endLine = Infinity): LineWindow {
  return new LineWindow(startLine, Math.min(endLine, startLine + maxLines - 1), maxBytes);
}

async function linesOnDisk(
  { real, shown, seen }: AccessTarget,
  window: LineWindow,
  signal: AbortSignal,
): Promise<TextLines | ToolResult> {
  const file = await openVerified(real, shown, seen).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof AppError) throw error;
    return error;
  });
  if (file instanceof Error) {
    const why = file.code ?? file.message;
    return failure({ local: t('Could not open {0} ({1}).', shown, why), english: `${shown} cannot be opened (${why}).` });
  }
  try {
    const lines = await readTextLines(file, window, signal);
    if (lines !== null) return lines;
    return failure({
      local: t('{0} is a binary file, so it cannot be read as text.', shown),
      english: `${shown} is a binary file (${(await file.stat()).size} bytes), so it cannot be read as text.`,
    });
  } finally {
    await file.close();
  }
}

function isWhole({ total, lastLine, cut }: TextLines, startLine: number): boolean {
  return startLine === 1 && lastLine === total && cut === null;
}

function describe(lines: TextLines, shown: string, startLine: number, endLine: number | undefined): ToolResult {
  const { text, total, lastLine, cut, isExact } = lines;
  if (total === 0) return { status: 'success', content: `(${shown} is empty.)`, summary: t('empty'), details: { path: shown } };
  if (startLine > total)
    return failure({
      local: tooFewLines(shown, total),
      english: `${shown} has only ${total} lines; startLine was ${startLine}.`,
    });
  const notes: string[] = [];
  if (cut !== null) {
    const [all, part] = [cut.all, cut.shown].map(formatInEnglish);
    notes.push(
      `[Line ${lastLine} is ${all} bytes long; only its first ${part} bytes are shown. To see the text around a word in it, use search_workspace.]`,
    );
  }
  if (lastLine < Math.min(endLine ?? total, total)) {
    notes.push(`[Lines ${startLine} to ${lastLine} of ${total}. To read on, call read_file with startLine ${lastLine + 1}.]`);
  }
  if (!isExact) {
    notes.push(
      `[${shown} is not encoded in UTF-8 or UTF-16: some bytes are shown as U+FFFD, and the file cannot be changed. The user can open it in the editor with its encoding.]`,
    );
  }
  return {
    status: 'success',
    content: [text, ...notes].join('\n'),
    summary: isWhole(lines, startLine) ? wholeText(total) : t('lines {0}–{1} of {2}', `${startLine}`, `${lastLine}`, `${total}`),
    details: { path: shown, startLine, endLine: lastLine },
  };
}

function wholeText(lines: number): string {
  return lines === 1 ? t('1 line') : t('{0} lines', lines);
}

export function declinedRead(reasons: readonly Phrase[]): ToolResult {
  return {
    status: 'denied',
    content: `The user declined to let you read this file (${reasons.map(({ english }) => english).join(', ')}). Go on without it, and do not read it in another way.`,
    summary: t('skipped'),
  };
}

/** Returns the reason why a range of line numbers is invalid. */
export function endsBeforeStart(startLine: number, endLine: number): Phrase {
  return {
    local: t('The last line ({0}) is before the first line ({1}).', String(endLine), String(startLine)),
    english: `endLine (${endLine}) is before startLine (${startLine}).`,
  };
}

/** Returns the reason why a line is beyond the end of a file. */
export function tooFewLines(shown: string, total: number): string {
  return total === 1 ? t('{0} has only 1 line.', shown) : t('{0} has only {1} lines.', shown, total);
}
