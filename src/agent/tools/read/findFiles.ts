import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { walkFolder } from '../../../services/search/workspaceWalk';
import type { Clock } from '../../../utils/clock';
import { foldedName } from '../../../utils/files/foldedName';
import { globMatcher, hasWildcards } from '../../../utils/text/globs';
import { t } from '../../../utils/l10n';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import { withClosedNotes } from './closedNotes';
import type { WorkspacePaths, WorkspaceRoot } from '../../../services/files/workspacePaths';

const maxPaths = 200;
const maxMs = 15_000;

const schema = z.object({
  pattern: z.string().min(1).describe('Glob such as src/**/*.test.ts or *.json, or a part of a file name'),
});

type Cut = 'count' | 'time' | null;

/** Finds files and folders by name. Ignores case and skips ignored files. */
export function findFilesTool(paths: WorkspacePaths, clock: Clock): Tool {
  return defineTool({
    name: 'find_files',
    otherNames: ['glob', 'filesearch'],
    description: `Find files of the workspace by name, at most ${maxPaths}. Ignored files are left out.`,
    schema,
    aliases: { glob: 'pattern', query: 'pattern', name: 'pattern', filename: 'pattern', search: 'pattern', path: 'pattern' },
    isOptional: true,
    effect: 'none',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Looked for {0}',
        running: 'Looking for {0}',
        planned: 'Look for {0}',
        failed: 'Could not look for {0}',
        stopped: 'Did not look for {0}',
      }),
    },
    modes: 'every',
    label: ({ pattern }) => pattern,
    run: async ({ pattern }, { signal }) => {
      const found: string[] = [];
      const until = clock.now() + maxMs;
      let cut: Cut = null;
      const roots = await paths.roots();
      for (const root of roots) {
        cut ??= await find(root, pattern, found, () => clock.now() > until, signal);
      }
      return withClosedNotes(describe(found.sort(), pattern, cut), roots);
    },
  });
}

async function find(
  root: WorkspaceRoot,
  pattern: string,
  found: string[],
  isTimeUp: () => boolean,
  signal: AbortSignal,
): Promise<Cut> {
  const isWanted = createMatcher(pattern);
  for await (const entries of walkFolder(root.real, { root: root.real, isRecursive: true, signal })) {
    for (const { path, kind, isIgnored } of entries) {
      if (isIgnored || !(isWanted(path) || (root.prefix !== '' && isWanted(`${root.prefix}${path}`)))) continue;
      if (found.length === maxPaths) return 'count';
      found.push(`${root.prefix}${path}${kind === 'folder' ? '/' : ''}`);
    }
    if (isTimeUp()) return 'time';
  }
  return null;
}

function createMatcher(pattern: string): (path: string) => boolean {
  const matches = hasWildcards(pattern) ? globMatcher(pattern, { ignoreCase: true }) : () => false;
  if (/[*?]/.test(pattern)) return matches;
  const part = foldedName(
    pattern
      .trim()
      .replaceAll('\\', '/')
      .replace(/^\.?\//, ''),
  );
  const name = (path: string) => (part.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1));
  return (path) => matches(path) || foldedName(name(path)).includes(part);
}

const ignoredNote = '[Files that git ignores are left out. To see those of a folder, give it to list_files.]';

function describe(found: readonly string[], pattern: string, cut: Cut): ToolResult {
  const notes: string[] = [];
  if (cut === 'count') notes.push(`[Only the first ${maxPaths} are listed; there are more. Use a narrower pattern.]`);
  if (cut === 'time')
    notes.push(`[The search was stopped after ${maxMs / 1000} s; there may be more. Begin the pattern with a folder.]`);
  if (found.length === 0) {
    const advice = hasWildcards(pattern) ? 'Try a shorter part of the name.' : 'Try another part of the name, or list_files.';
    return {
      status: 'success',
      content: [`No file matches ${pattern}. ${advice}`, ignoredNote, ...notes].join('\n'),
      summary: t('nothing found'),
    };
  }
  return { status: 'success', content: [...found, ...notes].join('\n'), summary: countText(found.length, cut !== null) };
}

function countText(files: number, isCut: boolean): string {
  if (isCut) return t('{0}+ files', files);
  return files === 1 ? t('1 file') : t('{0} files', files);
}
