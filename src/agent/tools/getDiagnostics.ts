import { z } from 'zod';
import { t } from '../../utils/l10n';
import { PathError } from '../pathError';
import type { DiagnosticsPort, FileDiagnostic } from '../ports';
import { bySeverity, lineOf } from '../problemReport';
import { defineTool, type Tool, type ToolResult } from '../tool';
import type { ResolvedPath, WorkspacePaths } from '../workspacePaths';
import { pathAliases } from './pathAliases';

const maxShown = 100;

const schema = z.object({
  path: z.string().optional().describe('File or folder, relative to the workspace; the whole workspace by default'),
});

type Problem = FileDiagnostic & { shown: string };

/** What the editor and its language extensions complain about, errors first. */
export function getDiagnosticsTool(paths: WorkspacePaths, diagnostics: DiagnosticsPort): Tool {
  return defineTool({
    name: 'get_diagnostics',
    description: `Get the errors and warnings that the editor shows for a file or for the workspace, at most ${maxShown}.`,
    schema,
    aliases: { ...pathAliases, uri: 'path', folder: 'path' },
    access: 'read',
    isExtra: true,
    label: ({ path }) => path,
    run: async ({ path }, { signal }) => {
      const places = await paths.places(path);
      const missing = places.find(({ place }) => !place.exists);
      if (missing) return { status: 'error', content: `There is no file ${missing.place.shown}.` };
      const isAll = path === undefined || places.every(({ place, root }) => place.real === root.real);
      const found = await diagnostics.diagnostics(isAll ? null : (places[0]?.place.real ?? null), signal);
      const problems = await inPlaces(
        found,
        places.map(({ place }) => place),
        paths,
      );
      return describe(problems, isAll ? null : (places[0]?.place ?? null));
    },
  });
}

/** Those in the workspace, and in what was asked for. */
async function inPlaces(found: readonly FileDiagnostic[], places: readonly ResolvedPath[], paths: WorkspacePaths) {
  const shownOf = new Map<string, string | null>();
  for (const file of new Set(found.map((one) => one.file))) shownOf.set(file, await shownPath(file, paths));
  const problems: Problem[] = [];
  for (const one of found) {
    const shown = shownOf.get(one.file);
    if (shown === null || shown === undefined) continue;
    if (places.some((place) => place.shown === '.' || shown === place.shown || shown.startsWith(`${place.shown}/`)))
      problems.push({ ...one, shown });
  }
  return problems.sort(
    (a, b) => bySeverity(a, b) || (a.shown === b.shown ? a.line - b.line || a.column - b.column : a.shown < b.shown ? -1 : 1),
  );
}

async function shownPath(file: string, paths: WorkspacePaths): Promise<string | null> {
  try {
    return (await paths.resolve(file)).shown;
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

function describe(problems: readonly Problem[], place: ResolvedPath | null): ToolResult {
  const details = place === null ? {} : { details: { path: place.shown } };
  if (problems.length === 0) {
    const where = place === null ? 'the workspace' : place.shown;
    const content = `The editor reports no problems in ${where}. It knows only files that a language extension has looked at.`;
    return { status: 'success', content, summary: t('no problems'), ...details };
  }
  const lines = problems.slice(0, maxShown).map((problem) => lineOf(problem.shown, problem));
  if (problems.length > maxShown) {
    lines.push(
      `[${maxShown} of ${problems.length} problems are shown, errors first. Give the path of a file to see all of its own.]`,
    );
  }
  return { status: 'success', content: lines.join('\n'), summary: summaryOf(problems), ...details };
}

function summaryOf(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const others = problems.length - errors;
  const parts = [];
  if (errors > 0) parts.push(errors === 1 ? t('1 error') : t('{0} errors', errors));
  if (others > 0) parts.push(others === 1 ? t('1 warning') : t('{0} warnings', others));
  return parts.join(', ');
}
