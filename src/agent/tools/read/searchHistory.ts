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

/** Message of a past conversation. Messages with text that looks like a key are excluded. */
export interface PastMessage {
  sessionId: string;
  /** Folder of the conversation, or null if there is none. */
  project: string | null;
  title: string;
  line: string;
}

/**
 * Finds messages in conversations of this project or of all other projects, with the best
 * first. Searches by words, and by meaning if an embedding model is set. Never asks the user.
 */
export type SearchHistory = (
  request: { query: string; limit: number; isOther: boolean },
  signal: AbortSignal,
) => Promise<PastMessage[]>;

/**
 * Finds messages of other conversations in this project and, after approval, in
 * other projects. Omits the current conversation, because the model already has it.
 */
export function searchHistoryTool(search: SearchHistory): Tool {
  return defineTool({
    name: 'search_history',
    otherNames: ['searchconversations', 'searchmessages', 'recall'],
    description:
      'When the person speaks of something from an earlier conversation, use this: it finds what was said in all conversations of this project. It knows nothing of the code.',
    schema,
    aliases: { question: 'query', text: 'query', search: 'query', q: 'query', words: 'query', allProjects: 'otherProjects' },
    isOptional: true,
    effect: 'none',
    row: {
      family: 'search',
      titles: translatable({
        done: 'Searched past chats for {0}',
        running: 'Searching past chats for {0}',
        planned: 'Search past chats for {0}',
        failed: 'Could not search past chats for {0}',
        stopped: 'Did not search past chats for {0}',
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

/** Same text for no match and for a declined request, so that the model learns nothing about other projects without approval. */
const notRead = 'Nothing from other projects can be given: nothing was found there, or the user declined.';

function questionAbout(found: readonly PastMessage[]): ApprovalQuestion {
  const projects = [...new Set(found.map(({ project }) => project ?? t('chats without a folder')))];
  return { kind: 'read', path: projects.join(', '), projects, reasons: [t('chats from other projects')] };
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
