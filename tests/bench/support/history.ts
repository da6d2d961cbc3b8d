import path from 'node:path';
import { databaseFileName } from '../../../src/services/database/databaseFile';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { messageColumns } from '../../../src/services/database/entryRows';
import { openSqlite } from '../../../src/services/database/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';

/** A message of a middling length, about 450 characters. */
export const input = {
  type: 'user_input' as const,
  content: 'A message of a middling length, as people write them. '.repeat(8),
  data: { mode: 'agent', attachments: [] },
};

export function openService(directory: string): DatabaseService {
  const workerPath = path.join(__dirname, '../../../src/services/database/databaseWorker.js');
  return new DatabaseService({ directory, owner: 'bench', clock: systemClock, logger: silentLogger, workerPath });
}

/**
 * A database with one session of so many messages; answers its id. They are put in by one transaction: the length of the history
 * matters here, not how it came about.
 */
export async function prefill(directory: string, messages: number): Promise<string> {
  const service = openService(directory);
  await service.initialize();
  const { id } = await service.sessions.create({ mode: 'agent', model: null, title: 'Bench', projectPath: null });
  await service.log.append(id, input);
  await service.dispose();
  const database = openSqlite(path.join(directory, databaseFileName));
  database.exec('BEGIN');
  const copy = database.prepare(`
    INSERT INTO messages (${messageColumns})
    SELECT printf('01900000-%08x', ?1) || substr(id, 18), session_id, ?1, ?1, type, role, content, data, model, tool_name, tool_input,
      tool_output, tool_calls, progress_title, checkpoint_id, plan_item_id, is_open, timestamp + ?1
    FROM messages WHERE session_id = ?2 AND seq = 1`);
  for (let seq = 2; seq <= messages; seq += 1) copy.run(seq, id);
  database.prepare('UPDATE sessions SET revision = ?').run(messages);
  database.exec('COMMIT');
  database.close();
  return id;
}
