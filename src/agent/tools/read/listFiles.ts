import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { walkFolder } from '../../../services/search/workspaceWalk';
import { phrase, t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import type { ResolvedPath, WorkspacePaths, WorkspaceRoot } from '../../../services/files/workspacePaths';
import { withClosedNotes } from './closedNotes';
import { folderAliases } from '../kernel/pathAliases';

const maxEntries = 500;
const maxIgnoredNames = 20;

const schema = z.object({
  path: z.string().optional().describe('Folder, relative to the workspace; the workspace itself by default'),
  recursive: z.boolean().optional().describe('Whether to list what is in its folders too'),
});

interface Listing {
  lines: string[];
  ignored: string[];
  isCut: boolean;
}

/** Lists names, starting at the top level if there are too many. Includes ignored folders but not their contents. */
export function listFilesTool(paths: WorkspacePaths): Tool {
  return defineTool({
    name: 'list_files',
    otherNames: ['listdir', 'listdirectory', 'ls'],
    description: `List the files and folders in a folder of the workspace, at most ${maxEntries}. Folders end in "/".`,
    schema,
    aliases: { ...folderAliases, isRecursive: 'recursive', recurse: 'recursive', deep: 'recursive' },
    effect: 'none',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Listed {0}',
        running: 'Listing {0}',
        planned: 'List {0}',
        failed: 'Could not list {0}',
        stopped: 'Did not list {0}',
      }),
      several: translatable({ done: 'Listed {0} folders', running: 'Listing {0} folders' }),
      about: { kind: 'place', argument: 'path' },
    },
    modes: 'every',
    label: ({ path }) => path ?? '.',
    run: async ({ path, recursive = false }, { signal, approve, offers }) => {
      const places = await paths.places(path);
      const [only] = places;
      if (places.length > 1 && !recursive) return listRoots(places.map(({ root }) => root));
      if (only && places.length === 1) {
        if (!only.place.exists) return failure(phrase('There is no folder {0}.', only.place.shown));
        if (!(await stat(only.place.real)).isDirectory())
          return failure({
            local: t('{0} is a file, not a folder.', only.place.shown),
            english: `${only.place.shown} is a file, not a folder. Read it with read_file.`,
          });
        if (only.isOutside && !(await approve(outsideQuestion(only.place, recursive)))) return declinedToList();
      }
      const listing: Listing = { lines: [], ignored: [], isCut: false };
      for (const { place, root } of places) await list(place, root, recursive, listing, signal);
      const result = describe(listing, path ?? '.', only?.place.shown ?? '.', offers('find_files'));
      const roots = places.filter(({ isOutside }) => !isOutside).map(({ root }) => root);
      return withClosedNotes(result, roots);
    },
  });
}

async function list(place: ResolvedPath, root: WorkspaceRoot, isRecursive: boolean, listing: Listing, signal: AbortSignal) {
  const prefix = place.shown === '.' ? '' : `${place.shown}/`;
  for await (const entries of walkFolder(place.real, { root: root.real, isRecursive, signal })) {
    for (const { path, kind, isIgnored } of entries) {
      if (!isIgnored && listing.lines.length === maxEntries) {
        listing.isCut = true;
        return;
      }
      const shown = `${prefix}${path}${kind === 'folder' ? '/' : ''}`;
      if (isIgnored) listing.ignored.push(shown);
      else listing.lines.push(kind === 'link' ? `${shown} (link)` : shown);
    }
  }
}

/** Builds the question, which shows the real path of the folder and the extent of the listing. */
function outsideQuestion({ shown }: ResolvedPath, isRecursive: boolean): ApprovalQuestion {
  const what = isRecursive ? t('lists all files in this folder and its subfolders') : t('lists the names in this folder');
  return { kind: 'read', path: `${shown}/`, reasons: [t('outside the workspace'), what] };
}

function declinedToList(): ToolResult {
  return {
    status: 'denied',
    content:
      'The user declined to let you list this folder (outside the workspace). Go on without it, and do not list it in another way.',
    summary: t('skipped'),
  };
}

function listRoots(roots: readonly WorkspaceRoot[]): ToolResult {
  return success(roots.map(({ shown }) => `${shown}/`).join('\n'), t('{0} folders', roots.length), '.');
}

function describe({ lines, ignored, isCut }: Listing, asked: string, shown: string, canFind: boolean): ToolResult {
  const notes: string[] = [];
  if (isCut) {
    const other = canFind ? ', or look for names with find_files' : '';
    notes.push(`[Only the first ${maxEntries} are listed; there are more. Give the path of a folder to list that one${other}.]`);
  }
  if (ignored.length > 0) {
    const names = ignored.slice(0, maxIgnoredNames).join(', ');
    const more = ignored.length > maxIgnoredNames ? ` and ${ignored.length - maxIgnoredNames} more` : '';
    notes.push(`[Left out because they are ignored: ${names}${more}. To see inside an ignored folder, give its path.]`);
  }
  if (lines.length === 0 && ignored.length === 0) return success(`(${asked} is empty.)`, t('empty'), shown);
  return success([...lines.sort(), ...notes].join('\n'), countText(lines.length, isCut), shown);
}

function countText(entries: number, isCut: boolean): string {
  if (isCut) return t('{0}+ entries', entries);
  return entries === 1 ? t('1 entry') : t('{0} entries', entries);
}

function success(content: string, summary: string, path: string): ToolResult {
  return { status: 'success', content, summary, details: { path } };
}
