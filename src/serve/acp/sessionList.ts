import { RequestError, type ListSessionsResponse, type SessionInfo } from '@agentclientprotocol/sdk';
import { visibleLine } from '../../protocol/text/visibleText';
import type { SessionRecord } from '../../types/session';
import type { HeadlessCore } from '../headlessCore';

const pageSize = 50;
const readSize = 100;

/**
 * Lists chats, most recently used first. Omits empty chats and inline chats. `folder` selects one folder.
 * Null selects all folders that `isAllowed` accepts.
 */
export async function listSessions(
  sessions: Pick<HeadlessCore['database']['sessions'], 'list'>,
  { folder, cursor }: { folder: string | null; cursor: string | null },
  isAllowed: (folder: string) => boolean,
): Promise<ListSessionsResponse> {
  const listed: SessionInfo[] = [];
  let offset = parseCursor(cursor);
  for (let hasMore = true; hasMore;) {
    const only = folder === null ? {} : { project_path: folder };
    const page = await sessions.list({ offset, limit: readSize }, only);
    for (const record of page.sessions) {
      if (listed.length === pageSize) return { sessions: listed, nextCursor: String(offset) };
      offset += 1;
      const info = toSessionInfo(record);
      if (info !== null && isAllowed(info.cwd)) listed.push(info);
    }
    hasMore = page.hasMore;
  }
  return { sessions: listed };
}

function toSessionInfo({
  id,
  title,
  project_path: cwd,
  updated_at: updated,
  revision,
  is_inline: inline,
}: SessionRecord): SessionInfo | null {
  if (cwd === null || inline === 1 || revision === 0) return null;
  return { sessionId: id, cwd, ...(title !== '' && { title: visibleLine(title) }), updatedAt: new Date(updated).toISOString() };
}

function parseCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,9}$/.test(cursor)) throw RequestError.invalidParams(undefined, 'Unknown cursor');
  return Number(cursor);
}
