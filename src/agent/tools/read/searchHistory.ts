import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { t } from '../../../utils/l10n';
import { withoutKeys } from '../../../utils/sensitivity/keyShapes';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import type { ApprovalQuestion } from '../../kernel/approvalQuestion';

const maxShown = 10;
const maxQuery = 1_000;

const schema = z.object({
  query: z.string().min(1).describe('What was said, in a few words'),
  otherProjects: z.boolean().optional().describe('True to look in conversations of other projects too; the user is asked first'),
});

/** Message of a past conversation that holds nothing that looks like a key. */
export interface PastMessage {
  sessionId: string;
  /** Folder that the conversation was begun in; null for none. */
  project: string | null;
  title: string;
  line: string;
}

/**
 * Finds messages of this project's conversations or of all others, best first: by words, and by meaning where a model is chosen for it. Nobody is
 * asked.
 */
export type SearchHistory = (
  request: { query: string; limit: number; isOther: boolean },
  signal: AbortSignal,
) => Promise<PastMessage[]>;

/**
 * Finds what was said in other conversations of this project and, where the person agrees to it, of other projects. Lines of the conversation that
 * asks are left out: the model has them.
 */
export function searchHistoryTool(search: SearchHistory): Tool {
  return defineTool({
    name: 'search_history',
    otherNames: ['searchconversations', 'searchmessages', 'recall'],
    description:
      'When the person speaks of something from an earlier conversation, use this: it finds what was said in all conversations of this project. It knows nothing of the code.',
    schema,
    aliases: { question: 'query', text: 'query', search: 'query', q: 'query', words: 'query', allProjects: 'otherProjects' },
    isExtra: true,
    effect: 'none',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Looked in past conversations for {0}',
        running: 'Looking in past conversations for {0}',
        planned: 'Look in past conversations for {0}',
        failed: 'Could not look in past conversations for {0}',
        stopped: 'Did not look in past conversations for {0}',
      }),
    },
    modes: 'every',
    label: ({ query }) => `“${query}”`,
    run: async ({ query, otherProjects = false }, { sessionId, signal, approve }) => {
      const request = { query: query.slice(0, maxQuery), limit: maxShown * 2 };
      const found = await search({ ...request, isOther: false }, signal);
      const own = found.filter((message) => message.sessionId !== sessionId).slice(0, maxShown);
      if (!otherProjects) return describe(query, own);
      const others = (await search({ ...request, isOther: true }, signal)).slice(0, maxShown);
      const isAllowed = others.length > 0 && (await approve(questionAbout(others)));
      return describe(query, isAllowed ? [...own, ...others] : own, isAllowed ? null : notRead);
    },
  });
}

/** Says the same whether nothing was found or the person declined: without their word the model learns nothing of other projects. */
const notRead = 'Nothing from other projects can be given: nothing was found there, or the user declined.';

function questionAbout(found: readonly PastMessage[]): ApprovalQuestion {
  const projects = [...new Set(found.map(({ project }) => project ?? t('chats without a folder')))];
  return { kind: 'read', path: projects.join(', '), projects, reasons: [t('chats of other projects')] };
}

function describe(query: string, found: readonly PastMessage[], note: string | null = null): ToolResult {
  const notes = note === null ? [] : [note];
  if (found.length === 0) {
    const content = [`Nothing was said about ${query} in other conversations of this project.`, ...notes].join('\n');
    return { status: 'success', content, summary: t('nothing found') };
  }
  const lines = found.map(({ title, line }) => `In “${withoutKeys(title)}”: ${withoutKeys(line)}`);
  const summary = found.length === 1 ? t('1 message') : t('{0} messages', found.length);
  return { status: 'success', content: [...lines, ...notes].join('\n'), summary };
}
