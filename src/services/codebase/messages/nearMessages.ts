import { holdsKey } from '../../../utils/sensitivity/keyShapes';
import { scopeCondition, type ProjectScope } from '../../database/search/projectScope';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import type { NearVector } from '../vectors/vectorStore';
import { splitMessage } from './messageFile';
import type { NearMessage } from './messageProtocol';
import { cutHead } from '../../../types/cutText';

const lineLength = 200;

/**
 * Returns the messages that the vectors belong to, without duplicates and in the same order. With a scope, returns only messages
 * that a model may see.
 */
export function findMessages(
  near: readonly NearVector[],
  { index, history }: { index: DatabaseSync; history: DatabaseSync },
  limit: number,
  scope: ProjectScope | undefined,
): NearMessage[] {
  const place = index.prepare('SELECT session_id, seq, part FROM parts WHERE id = ?');
  const { condition, values } = scope === undefined ? { condition: 'TRUE', values: {} } : scopeCondition(scope);
  const message = history.prepare(
    `SELECT content FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.session_id = :id AND m.seq = :seq AND ${condition}`,
  );
  const seen = new Set<string>();
  const found: NearMessage[] = [];
  for (const { id, similarity } of near) {
    const row = place.get(id);
    if (row === undefined || found.length >= limit) continue;
    const sessionId = String(row['session_id']);
    const seq = Number(row['seq']);
    const content = message.get({ ...values, id: sessionId, seq })?.['content'];
    if (content === undefined || seen.has(`${sessionId} ${seq}`)) continue;
    seen.add(`${sessionId} ${seq}`);
    if (scope !== undefined && holdsKey(String(content))) continue;
    const text = splitMessage(String(content))[Number(row['part'])] ?? '';
    found.push({ sessionId, seq, similarity, line: cutHead(text.replace(/\s+/g, ' ').trim(), lineLength) });
  }
  return found;
}
