import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { damagedNotice } from '../../../src/protocol/text/damagedEntry';
import type { Entry } from '../../../src/protocol/entries';
import { fileOf, newSession, userInput, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('the checksum of an entry', () => {
  it('shows that a byte of the file flipped, with the text that is left', async () => {
    const directory = bench.folder();
    const id = await withEntries(directory);
    flip(directory, 'Deploy to staging', 'Deploy to stabing');
    const service = await bench.service(directory);
    const { entries } = await service.log.read(id, 0);
    assert.deepEqual(entries.map(brief), [
      'user_input Where do I deploy?',
      `damaged ${damagedNotice}\n\nDeploy to stabing first.`,
      'user_input And then?',
    ]);
    const { problems, damagedChats } = await service.checkIntegrity();
    assert.deepEqual({ problems, damagedChats }, { problems: [], damagedChats: ['Releases'] });
  });

  for (const [column, value] of Object.entries({
    type: "'thinking'",
    role: "'user'",
    data: "'{}'",
    model: "'other'",
    tool_name: "'x'",
    tool_input: "'{}'",
    tool_output: "'x'",
    tool_calls: "'[]'",
    progress_title: "'x'",
    checkpoint_id: "'x'",
    plan_item_id: "'x'",
  }))
    it(`covers the column ${column}`, async () => {
      const directory = bench.folder();
      const id = await withEntries(directory);
      withRaw(directory, (raw) => raw.exec(`UPDATE messages SET ${column} = ${value} WHERE seq = 2`));
      const service = await bench.service(directory);
      const { entries } = await service.log.read(id, 0);
      assert.deepEqual(entries.map(brief)[1], `damaged ${damagedNotice}\n\nDeploy to staging first.`);
    });

  it('is stored when a streamed answer is closed, by its window or for a window that ended', async () => {
    const directory = bench.folder();
    const ended = await bench.parts(directory);
    const service = await bench.service(directory, { owner: 'later' });
    const { id } = await service.sessions.create(newSession());
    const closed = await service.log.open(id, { type: 'assistant_output', data: {} });
    closed.write('All of it.');
    await service.log.read(id, 0);
    await closed.close({ end: 'complete' });
    const abandoned = await ended.log.open(id, { type: 'assistant_output', data: {} });
    abandoned.write('Half of it.');
    await ended.log.read(id, 0);
    const { connection, log } = await bench.parts(directory);
    await connection.write(() => log.closeAbandoned(id));
    assert.deepEqual((await service.log.read(id, 0)).entries.map(brief), [
      'assistant_output All of it.',
      'assistant_output Half of it.',
    ]);
    withRaw(directory, (raw) => raw.exec("UPDATE messages SET content = replace(content, 'it', 'at')"));
    assert.deepEqual((await service.log.read(id, 0)).entries.map(brief), [
      `damaged ${damagedNotice}\n\nAll of at.`,
      `damaged ${damagedNotice}\n\nHalf of at.`,
    ]);
  });

  it('is not expected in rows of earlier versions', async () => {
    const directory = bench.folder();
    const id = await withEntries(directory);
    withRaw(directory, (raw) => raw.exec("UPDATE messages SET checksum = NULL, content = 'Old' WHERE seq = 2"));
    const service = await bench.service(directory);
    assert.equal((await service.log.read(id, 0)).entries[1]?.content, 'Old');
    assert.deepEqual((await service.checkIntegrity()).damagedChats, []);
  });
});

async function withEntries(directory: string): Promise<string> {
  const service = await bench.service(directory);
  const { id } = await service.sessions.create(newSession('Releases'));
  await service.log.append(id, userInput('Where do I deploy?'));
  const data = { end: 'complete' as const };
  await service.log.append(id, { type: 'assistant_output', content: 'Deploy to staging first.', data, model: 'tiny' });
  await service.log.append(id, userInput('And then?'));
  await service.dispose();
  return id;
}

/** Replaces bytes in the file of a closed database. */
function flip(directory: string, from: string, to: string): void {
  const file = fileOf(directory);
  const bytes = readFileSync(file);
  const at = bytes.indexOf(from);
  assert.ok(at > 0 && bytes.indexOf(from, at + 1) < 0);
  bytes.write(to, at);
  writeFileSync(file, bytes);
}

function brief({ type, content, data }: Entry): string {
  return `${type === 'system_message' && 'code' in data ? data.code : type} ${content}`;
}
