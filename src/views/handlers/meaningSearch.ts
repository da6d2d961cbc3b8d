import type { DatabaseService } from '../../services/database/databaseService';
import type { MessageSearch } from '../../services/codebase/messages/messageSearch';

export type HybridSearch = Pick<MessageSearch, 'searchHybrid'>;

/** Number of messages to search for each session in the results. */
const deeper = 4;

/** Searches sessions by words and meaning. Lists each session once, with its best message. */
export async function searchByMeaning(
  database: Pick<DatabaseService, 'sessions'>,
  messages: HybridSearch,
  { query, offset, limit }: { query: string; offset: number; limit: number },
) {
  const { found, missing, isDamaged } = await messages.searchHybrid(query, (offset + limit) * deeper);
  const best = new Map(found.toReversed().map((message) => [message.sessionId, message]));
  const ids = [...new Set(found.map(({ sessionId }) => sessionId))];
  const page = ids.slice(offset, offset + limit).map(async (sessionId) => {
    const title = (await database.sessions.get(sessionId))?.title ?? '';
    const message = best.get(sessionId);
    return {
      sessionId,
      title: { text: title, marks: [] },
      line: message === undefined ? null : { ...message.line, seq: message.seq },
    };
  });
  return {
    ...{ found: await Promise.all(page), hasMore: ids.length > offset + limit, isComplete: true, isIndexed: true },
    ...(missing !== null && { missingModel: missing }),
    ...(isDamaged && { isDamaged }),
  };
}
