import { z } from 'zod';
import { PathError } from '../../../services/files/pathError';
import { translatable } from '../../../types/texts';
import { t } from '../../../utils/l10n';
import type { FileAccess } from '../../approvals/fileAccess';
import type { SourceControlChange, SourceControlPort } from '../../kernel/ports';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';

const maxShown = 200;

/** Resolves with the files that differ from the first checkpoint of a session, or null if there is no checkpoint. */
export type ChangedSinceStart = (sessionId: string) => Promise<SourceControlChange[] | null>;

/**
 * Lists the changed files that the editor's Git reports. Without a
 * repository, lists the changes since the first checkpoint of the chat.
 */
export function getChangedFilesTool(
  access: Pick<FileAccess, 'paths'>,
  sourceControl: SourceControlPort | undefined,
  sinceStart: ChangedSinceStart,
): Tool {
  return defineTool({
    name: 'get_changed_files',
    otherNames: ['changedfiles', 'gitstatus', 'listchangedfiles'],
    description: 'List the files that are changed and not committed yet, as git status does.',
    schema: z.object({}),
    effect: 'none',
    modes: 'every',
    isOptional: true,
    row: {
      family: 'search',
      titles: translatable({
        done: 'Listed the changed files',
        running: 'Listing the changed files',
        planned: 'List the changed files',
        failed: 'Could not list the changed files',
        stopped: 'Did not list the changed files',
      }),
    },
    label: () => undefined,
    run: async (_input, { sessionId }) => {
      const byGit = (await sourceControl?.changed()) ?? null;
      if (byGit !== null)
        return listed(await named(byGit, access), 'Not committed yet:', 'Nothing is changed since the last commit.');
      const since = await sinceStart(sessionId);
      if (since === null) {
        const content = 'The editor’s git knows no repository here, and this chat has no checkpoint to compare with.';
        return { status: 'success', content, summary: t('nothing found') };
      }
      const heading = 'The editor’s git knows no repository here. Changed since the first checkpoint of this chat:';
      return listed(await named(since, access), heading, `${heading} nothing.`);
    },
  });
}

/** Formats the files in the workspace and omits all others. */
async function named(files: readonly SourceControlChange[], { paths }: Pick<FileAccess, 'paths'>): Promise<string[]> {
  const lines = new Set<string>();
  for (const { file, status } of files) {
    try {
      const { shown, isOutside } = await paths.locate(file);
      if (!isOutside) lines.add(`${status} ${shown}`);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
    }
  }
  return [...lines].sort((one, other) => (one.slice(one.indexOf(' ')) < other.slice(other.indexOf(' ')) ? -1 : 1));
}

function listed(lines: readonly string[], heading: string, none: string): ToolResult {
  if (lines.length === 0) return { status: 'success', content: none, summary: t('nothing found') };
  const shown = lines.slice(0, maxShown);
  if (shown.length < lines.length) shown.push(`[${maxShown} of ${lines.length} are shown.]`);
  const summary = lines.length === 1 ? t('1 file') : t('{0} files', lines.length);
  return { status: 'success', content: [heading, ...shown].join('\n'), summary };
}
