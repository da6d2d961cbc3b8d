import type { SearchHistory } from '../agent/tools/read/searchHistory';
import type { MessageSearch } from '../services/codebase/messages/messageSearch';
import type { DatabaseService } from '../services/database/databaseService';
import type { WorkspacePort } from '../services/files/workspacePorts';

/**
 * Searches earlier chats of the open folders or of other projects for the model.
 * Searches by words and meaning, or only by words if no embedding model is available.
 */
export function pastMessages(
  { sessions }: Pick<DatabaseService, 'sessions'>,
  messages: Pick<MessageSearch, 'searchHybrid' | 'searchByKeyword'>,
  workspace: Pick<WorkspacePort, 'folders'>,
): SearchHistory {
  return async ({ query, limit, isOther }, signal) => {
    const scope = { folders: workspace.folders().map(({ path }) => path), isOther };
    const { found, missing } = await messages.searchHybrid(query, limit, scope, signal);
    const hits = missing === null ? found : await messages.searchByKeyword(query, limit, scope);
    const named = hits.map(async ({ sessionId, line }) => {
      const session = await sessions.get(sessionId);
      return session === undefined ? [] : [{ sessionId, project: session.project_path, title: session.title, line: line.text }];
    });
    return (await Promise.all(named)).flat();
  };
}
