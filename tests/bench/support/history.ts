import path from 'node:path';
import type { EntryInput } from '../../../src/protocol/entries';
import { databaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { messageColumns } from '../../../src/services/database/log/entryFields';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { shownModel } from '../../support/editorDouble';

/** Message of medium length, about 450 characters. */
export const input = {
  type: 'user_input' as const,
  content: 'A message of a middling length, as people write them. '.repeat(8),
  data: { mode: 'agent', attachments: [] },
};

export function openService(directory: string): DatabaseService {
  const workerPath = path.join(__dirname, '../../../src/services/database/databaseWorker.js');
  return new DatabaseService({ directory, owner: 'bench', clock: systemClock, logger: silentLogger, workerPath });
}

/** Stores the model list that a start reads. The status bar shows `shownModel`. */
export async function keepModel(service: DatabaseService): Promise<void> {
  const capabilities = { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true };
  const about = { digest: 'd', size: 9, family: 'qwen3', parameterSize: '14B', quantization: 'Q4_K_M', contextLength: 40_960 };
  await service.models.save([{ name: shownModel, ...about, capabilities, stop: [], enabled: true }]);
}

/**
 * Creates a database with one session of `messages` messages and returns the session id. All are inserted in one transaction, because only
 * the length of the history matters.
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
      tool_output, tool_calls, progress_title, checkpoint_id, plan_item_id, is_open, timestamp + :seq, checksum
    FROM messages WHERE session_id = :id AND seq = 1`);
  for (let seq = 2; seq <= messages; seq += 1) copy.run({ seq, id });
  database.prepare('UPDATE sessions SET revision = ?').run(messages);
  database.exec('COMMIT');
  database.close();
  return id;
}

/**
 * Creates sessions with entries of about thirty words: all contain `common word`, and every ten-thousandth contains `rareword`. One
 * transaction per session.
 */
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

/** Creates a session with `entries` entries like those of a working agent. Returns its id. */
export async function conversation(service: DatabaseService, entries: number): Promise<string> {
  const { id } = await service.sessions.create({ mode: 'agent', model: shownModel, title: `${entries}`, projectPath: null });
  for (let turn = 0; turn * 10 < entries; turn += 1) await service.log.appendAll(id, turnOf(turn).slice(0, entries - turn * 10));
  return id;
}

/** Returns ten entries: a question, thinking, three file reads, the answer, the end of the run. */
function turnOf(turn: number): EntryInput[] {
  const model = shownModel;
  const reads = [1, 2, 3].flatMap((part): EntryInput[] => {
    const callId = `c${turn}-${part}`;
    return [
      { type: 'tool_call', model, data: { callId, name: 'read_file', input: { path: `src/file${turn}-${part}.ts` } } },
      {
        type: 'tool_result',
        content: 'const line = validate(form, "größer");\n'.repeat(40),
        data: { callId, name: 'read_file', status: 'success', durationMs: 12 },
      },
    ];
  });
  const stats = { promptTokens: 9_000, answerTokens: 120, answerMs: 4_000, contextWindow: 32_768 };
  return [
    {
      type: 'user_input',
      content: `Question ${turn}: ${'what the form has to say. '.repeat(8)}`,
      data: { mode: 'agent', attachments: [] },
    },
    { type: 'thinking', content: 'The file comes first. '.repeat(20), model, data: { durationMs: 900 } },
    ...reads,
    {
      type: 'assistant_output',
      content: 'The form is validated **twice**: see `src/form.ts`.\n\n'.repeat(12),
      model,
      data: { end: 'complete', stats },
    },
    { type: 'run_end', data: { outcome: 'done' } },
  ];
}
