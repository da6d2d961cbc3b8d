import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { t } from '../../../utils/l10n';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';

const maxShown = 10;
const maxQuery = 1_000;

const schema = z.object({
  query: z.string().min(1).describe('What was said, in a few words'),
});

/** Message of a past conversation. */
export interface PastMessage {
  sessionId: string;
  title: string;
  line: string;
}

/** Finds messages of all conversations, best first: by words, and by meaning where a model is chosen for it. */
export type SearchHistory = (query: string, limit: number, signal: AbortSignal) => Promise<PastMessage[]>;

/** Finds what was said in other conversations. Lines of the conversation that asks are left out: the model has them. */
export function searchHistoryTool(search: SearchHistory): Tool {
  return defineTool({
    name: 'search_history',
    otherNames: ['searchconversations', 'searchmessages', 'recall'],
    description:
      'When the person speaks of something from an earlier conversation, use this: it finds what was said in all conversations with this person. It knows nothing of the code.',
    schema,
    aliases: { question: 'query', text: 'query', search: 'query', q: 'query', words: 'query' },
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
    run: async ({ query }, { sessionId, signal }) => {
      const found = await search(query.slice(0, maxQuery), maxShown * 2, signal);
      return describe(query, found.filter((message) => message.sessionId !== sessionId).slice(0, maxShown));
    },
  });
}

function describe(query: string, found: readonly PastMessage[]): ToolResult {
  if (found.length === 0)
    return { status: 'success', content: `Nothing was said about ${query} in other conversations.`, summary: t('nothing found') };
  const content = found.map(({ title, line }) => `In “${title}”: ${line}`).join('\n');
  const summary = found.length === 1 ? t('1 message') : t('{0} messages', found.length);
  return { status: 'success', content, summary };
}
