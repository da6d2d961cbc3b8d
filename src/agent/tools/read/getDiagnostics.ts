import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { phrase, t } from '../../../utils/l10n';
import type { AccessTarget, FileAccess } from '../../approvals/fileAccess';
import { PathError } from '../../../services/files/pathError';
import type { DiagnosticsPort, FileDiagnostic } from '../../kernel/ports';
import { byProblemSeverity, formatProblem } from '../edit/problemReport';
import { mayRead } from '../../approvals/readConsent';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import type { ResolvedPath } from '../../../services/files/workspacePaths';
import { pathAliases } from '../kernel/pathAliases';
import { declinedRead } from './readFile';

const maxShown = 100;
const maxLeftOutNames = 20;

const schema = z.object({
  path: z.string().optional().describe('File or folder, relative to the workspace; the whole workspace by default'),
});

type Problem = FileDiagnostic & { shown: string };

/**
 * Lists the problems that the editor and its language extensions report.
 * The messages quote code, so secret files require approval as for reading.
 */
export function getDiagnosticsTool(access: Pick<FileAccess, 'paths' | 'forReading'>, diagnostics: DiagnosticsPort): Tool {
  return defineTool({
    name: 'get_diagnostics',
    description: `Get the errors and warnings that the editor shows for a file or for the workspace, at most ${maxShown}.`,
    schema,
    aliases: { ...pathAliases, uri: 'path', folder: 'path' },
    isOptional: true,
    effect: 'none',
    row: {
      family: 'other',
      titles: translatable({
        done: 'Checked {0} for problems',
        running: 'Checking {0} for problems',
        planned: 'Check {0} for problems',
        failed: 'Could not check {0} for problems',
        stopped: 'Did not check {0} for problems',
      }),
      about: { kind: 'place', argument: 'path' },
    },
    modes: 'every',
    label: ({ path }) => path,
    run: async ({ path }, { sessionId, signal, approve }) => {
      const places = await access.paths.places(path);
      const missing = places.find(({ place }) => !place.exists);
      if (missing) return failure(phrase('There is no file {0}.', missing.place.shown));
      const isAll = path === undefined || places.every(({ place, root, isOutside }) => !isOutside && place.real === root.real);
      const only = isAll ? null : (places[0]?.place ?? null);
      if (only !== null) {
        const { readReasons } = await access.forReading(only.real, sessionId);
        if (!(await mayRead({ shown: only.shown, readReasons }, { approve }))) return declinedRead(readReasons);
      }
      const found = await diagnostics.diagnostics(only?.real ?? null, signal);
      const asked = places.map(({ place }) => place);
      const isOutside = places.some((one) => one.isOutside);
      const { problems, leftOut } = await inPlaces(found, asked, (file) => target(file, isOutside, access, sessionId));
      return describe(problems, leftOut, only);
    },
  });
}

/**
 * Returns the problems in the requested places. `leftOut` contains files
 * that require approval for a reason other than being outside the workspace.
 */
async function inPlaces(
  found: readonly FileDiagnostic[],
  places: readonly ResolvedPath[],
  targetOf: (file: string) => Promise<AccessTarget | null>,
): Promise<{ problems: Problem[]; leftOut: string[] }> {
  const shownOf = new Map<string, string>();
  const leftOut: string[] = [];
  for (const file of new Set(found.map((one) => one.file))) {
    const one = await targetOf(file);
    const place = one && places.find(({ shown }) => shown === '.' || one.shown === shown || one.shown.startsWith(`${shown}/`));
    if (!one || !place) continue;
    if (one.readReasons.length <= (one.isOutside ? 1 : 0) || one.shown === place.shown) shownOf.set(file, one.shown);
    else leftOut.push(one.shown);
  }
  const problems = found.flatMap((one): Problem[] => {
    const shown = shownOf.get(one.file);
    return shown === undefined ? [] : [{ ...one, shown }];
  });
  problems.sort(
    (a, b) =>
      byProblemSeverity(a, b) || (a.shown === b.shown ? a.line - b.line || a.column - b.column : a.shown < b.shown ? -1 : 1),
  );
  return { problems, leftOut: leftOut.sort() };
}

/** Returns the file, or null if it is outside the workspace and the requested places are inside. */
async function target(
  file: string,
  mayBeOutside: boolean,
  access: Pick<FileAccess, 'forReading'>,
  sessionId: string,
): Promise<AccessTarget | null> {
  try {
    const found = await access.forReading(file, sessionId);
    return found.isOutside && !mayBeOutside ? null : found;
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

function describe(problems: readonly Problem[], leftOut: readonly string[], place: ResolvedPath | null): ToolResult {
  const details = place === null ? {} : { details: { path: place.shown } };
  const notes = leftOut.length === 0 ? [] : [leftOutNote(leftOut)];
  if (problems.length === 0) {
    const where = place === null ? 'the workspace' : place.shown;
    const content = `The editor reports no problems in ${where}. It knows only files that a language extension has looked at.`;
    return { status: 'success', content: [content, ...notes].join('\n'), summary: t('no problems'), ...details };
  }
  const lines = problems.slice(0, maxShown).map((problem) => formatProblem(problem.shown, problem));
  if (problems.length > maxShown) {
    const isOneFile = problems.every(({ shown }) => shown === place?.shown);
    const way = isOneFile ? 'Mend these, then ask again.' : 'Give the path of a file or folder to see those of it.';
    lines.push(`[${maxShown} of ${problems.length} problems are shown, errors first. ${way}]`);
  }
  return { status: 'success', content: [...lines, ...notes].join('\n'), summary: summarize(problems), ...details };
}

function leftOutNote(files: readonly string[]): string {
  const names = files.slice(0, maxLeftOutNames).join(', ');
  const more = files.length > maxLeftOutNames ? ` and ${files.length - maxLeftOutNames} more` : '';
  return `[Left out, as the user is asked before such a file is read: ${names}${more}. Give the path of one to ask for its problems.]`;
}

function summarize(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const others = problems.length - errors;
  const parts = [];
  if (errors > 0) parts.push(errors === 1 ? t('1 error') : t('{0} errors', errors));
  if (others > 0) parts.push(others === 1 ? t('1 warning') : t('{0} warnings', others));
  return parts.join(', ');
}
