import type { DatabaseService } from '../../services/database/databaseService';
import type { MessageSearch } from '../../services/codebase/messages/messageSearch';

export type HybridSearch = Pick<MessageSearch, 'searchHybrid'>;

/** Number of messages to find for each session to list, because several messages can belong to one session. */
const deeper = 4;

/**
 * Searches sessions by words and meaning. Lists each session once, with its best message. If search by meaning is not
 * possible, returns the results of a word search and the reason.
 */
export async function searchByMeaning(
  database: Pick<DatabaseService, 'sessions' | 'search'>,
  messages: HybridSearch,
  request: { query: string; newestFirst?: boolean | undefined; offset: number; limit: number },
) {
  const { query, offset, limit } = request;
  const { found, missing, isDamaged, isUnavailable } = await messages.searchHybrid(query, (offset + limit) * deeper);
  if (missing !== null) return { ...(await database.search(request)), missingModel: missing };
  if (isDamaged || isUnavailable)
    return { ...(await database.search(request)), ...(isDamaged ? { isDamaged } : { isUnavailable: true as const }) };
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
  return { found: await Promise.all(page), hasMore: ids.length > offset + limit, isComplete: true, isIndexed: true };
}
