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
    SELECT printf('01900000-%08x', :seq) || substr(id, 18), session_id, :seq, :seq, type, role, content, data, model, tool_name, tool_input,
      tool_output, tool_calls, progress_title, checkpoint_id, plan_item_id, is_open, timestamp + :seq
    FROM messages WHERE session_id = :id AND seq = 1`);
  for (let seq = 2; seq <= messages; seq += 1) copy.run({ seq, id });
  database.prepare('UPDATE sessions SET revision = ?').run(messages);
  database.exec('COMMIT');
  database.close();
  return id;
}

/** Sessions with entries of thirty words each: `common word` in all, `rareword` in every ten-thousandth; one transaction a session. */
export async function prefillSessions(directory: string, sessions: number, entries: number): Promise<void> {
  const service = openService(directory);
  await service.initialize();
  let count = 0;
  for (let session = 0; session < sessions; session += 1) {
    const { id } = await service.sessions.create({ mode: 'ask', model: null, title: `Session ${session}`, projectPath: null });
    const inputs = Array.from({ length: entries }, () => {
      count += 1;
      const words = Array.from({ length: 28 }, (_, index) => `w${((count * 31 + index * 7) ** 2 % 4_999).toString(36)}`);
      const rare = count % 10_000 === 0 ? 'rareword' : '';
      return { ...input, content: `common word ${words.join(' ')} ${rare}` };
    });
    await service.log.appendAll(id, inputs);
  }
  await service.dispose();
}
