import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Embedder, type EmbedClient } from '../../../src/services/codebase/embedding/embedder';
import { MessageSearch } from '../../../src/services/codebase/messages/messageSearch';
import { lanceModuleIn } from '../../../src/services/codebase/lance/lanceModule';
import type { DatabaseService } from '../../../src/services/database/databaseService';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { ServerArbiter } from '../../../src/services/model/serverArbiter';
import { systemClock } from '../../../src/utils/clock';
import { CancelledError } from '../../../src/utils/errors';
import { silentLogger } from '../../../src/utils/logger';
import { newSession, userInput, Workbench } from '../database/support/stores';

const workerPath = path.join(__dirname, '../../../src/services/codebase/codebaseWorker.js');
/** Groups of synonyms. Each group is one dimension. */
const meanings = [/car|automobile|vehicle/i, /dog|hound|puppy/i, /tree|oak/i];
const vectorOf = (text: string): number[] => [...meanings.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.1];
const bench = new Workbench();

for (const isLance of [false, true]) describeMessages(isLance);

/** Runs the same tests with both vector stores. If LanceDB is not installed, the built-in store replaces it. */
function describeMessages(isLance: boolean): void {
  describe(`conversations by meaning${isLance ? ', with LanceDB' : ''}`, () => {
    let directory: string;
    let database: DatabaseService;
    let messages: MessageSearch;
    let model = 'embed';
    let embed: EmbedClient['embed'];
    const asked: string[][] = [];

    const open = (clock = systemClock): MessageSearch => {
      const info = { name: 'embed:latest', digest: 'd', size: 1, family: null, parameterSize: null, quantization: null };
      const capabilities = { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false };
      const all = [{ ...info, contextLength: 512, capabilities, stop: [], enabled: true }];
      const models = { list: async () => ({ models: all, stale: false, fetchedAt: 1 }) };
      const service = new MessageSearch({
        workerPath,
        directory,
        isReadOnly: false,
        clock,
        logger: silentLogger,
        keyword: (request) => database.searchEntries(request),
        embedder: new Embedder({ embed: (...args) => embed(...args) }, models, () => model),
        arbiter: new ServerArbiter(),
        isLance: () => isLance,
      });
      bench.add(service);
      return service;
    };
    beforeEach(async () => {
      directory = bench.folder();
      database = await bench.service(directory);
      model = 'embed';
      asked.length = 0;
      embed = async (name, input) => {
        asked.push(input);
        return { model: name, embeddings: input.map(vectorOf) };
      };
      messages = open();
    });
    afterEach(() => bench.clean());

    const say = async (...texts: string[]): Promise<string> => {
      const { id } = await database.sessions.create(newSession(texts[0] ?? ''));
      for (const text of texts) await database.log.append(id, userInput(text));
      return id;
    };
    const lines = async (query: string, service = messages) =>
      (await service.searchSemantic(query, 10)).found.map(({ line }) => line.text);
    const nothing = { found: [], missing: { suggestion: 'embed:latest' }, isDamaged: false, isUnavailable: false };
    const vectors = async () => (await messages.state()).vectors;

    it('are found in words that nobody said, and by both ways at once', async () => {
      const id = await say('my automobile is red', 'the hound sleeps');
      await say('an oak');
      await messages.indexMessages();
      const { found, missing } = await messages.searchSemantic('puppy', 1);
      assert.deepEqual([found, missing], [[{ sessionId: id, seq: 2, line: { text: 'the hound sleeps', marks: [] } }], null]);
      assert.deepEqual(await messages.searchByKeyword('puppy', 5), []);
      const both = await messages.searchHybrid('hound', 5);
      assert.deepEqual(both.found[0]?.line, { text: 'the hound sleeps', marks: [[4, 9]] });
    });

    it('say which model to choose where none is, and find nothing', async () => {
      await say('the hound sleeps');
      model = '';
      await messages.indexMessages();
      assert.deepEqual(await messages.searchSemantic('puppy', 5), nothing);
      assert.deepEqual(await messages.searchHybrid('hound', 5), nothing);
      assert.deepEqual(asked, []);
    });

    it('say that there is no search by meaning before they have vectors and where the server fails, and keep words', async () => {
      const search = async () => {
        const { found, isUnavailable } = await messages.searchHybrid('hound', 5);
        return [found.map(({ line }) => line.text), isUnavailable];
      };
      await say('the hound sleeps');
      assert.deepEqual(await search(), [['the hound sleeps'], true]);
      await messages.indexMessages();
      assert.deepEqual(await search(), [['the hound sleeps'], false]);
      embed = async () => {
        throw Object.assign(new Error('gone'), { code: 'connection' });
      };
      assert.deepEqual(await search(), [['the hound sleeps'], true]);
    });

    it('are embedded once, and only what is new after that', async () => {
      const id = await say('the hound sleeps');
      await messages.indexMessages();
      await messages.close();
      messages = open();
      await database.log.append(id, userInput('my automobile is red'));
      await messages.indexMessages();
      assert.deepEqual(asked, [['the hound sleeps'], ['my automobile is red']]);
      assert.equal((await lines('vehicle'))[0], 'my automobile is red');
    });

    it('are embedded a moment after they are said, and not after other entries', async () => {
      await messages.close();
      const waited: number[] = [];
      messages = open({ ...systemClock, sleep: async (ms) => void waited.push(ms) });
      await say('the hound sleeps');
      await messages.indexMessage({ type: 'tool_result', isOpen: false });
      await messages.indexMessage({ type: 'assistant_output', isOpen: true });
      assert.deepEqual([waited, asked], [[], []]);
      await messages.indexMessage({ type: 'user_input', isOpen: false });
      assert.deepEqual([waited, asked], [[3_000], [['the hound sleeps']]]);
    });

    it('are gone with their session, also where another window deleted it while this one was embedding', async () => {
      const first = await say('the hound sleeps');
      const second = await say('a hound runs');
      await messages.indexMessages();
      await database.sessions.delete(first);
      await messages.deleteSessionEntries(first);
      assert.deepEqual([await lines('puppy'), await vectors()], [['a hound runs'], 1]);
      await database.sessions.delete(second);
      assert.deepEqual(await lines('puppy'), [], 'before anybody has told');
      assert.equal(await vectors(), 0);
      const third = await say('the hound barks');
      embed = async (name, input) => {
        await database.sessions.delete(third);
        return { model: name, embeddings: input.map(vectorOf) };
      };
      await messages.indexMessages();
      assert.equal(await vectors(), 0);
    });

    it('are made anew for another model or length, and on demand', async () => {
      await say('the hound sleeps');
      await messages.indexMessages();
      embed = async (name, input) => ({ model: name, embeddings: input.map((text) => [...vectorOf(text), 0, 0]) });
      await say('a vehicle');
      await messages.indexMessages();
      assert.deepEqual([await vectors(), (await lines('puppy'))[0]], [2, 'the hound sleeps']);
      await messages.recreateSearchTable();
      await messages.indexMessages();
      assert.equal((await lines('puppy'))[0], 'the hound sleeps');
    });

    it('are embedded again after damage only when the user rebuilds the index', async () => {
      await say('the hound sleeps');
      await messages.indexMessages();
      await messages.close();
      writeFileSync(path.join(directory, 'ollama-copilot.lance/messages.sqlite'), 'no database'.repeat(1_000));
      for (let window = 0; window < 2; window += 1) {
        messages = open();
        asked.length = 0;
        await messages.indexMessages();
        assert.deepEqual(asked, []);
        const { found, isDamaged } = await messages.searchHybrid('hound', 5);
        assert.deepEqual([found.map(({ line }) => line.text), isDamaged], [['the hound sleeps'], true]);
        if (window === 0) await messages.close();
      }
      await messages.recreateSearchTable();
      await messages.indexMessages();
      const { found, isDamaged } = await messages.searchSemantic('puppy', 5);
      assert.deepEqual([found.map(({ line }) => line.text), isDamaged], [['the hound sleeps'], false]);
    });

    it('keep words where the server fails, and hold no vector that is no number', async () => {
      await say('the hound sleeps');
      embed = async (name, input) => ({ model: name, embeddings: input.map(() => [Number.NaN, 1]) });
      await messages.indexMessages();
      assert.equal(await vectors(), 0);
      embed = async () => {
        throw Object.assign(new Error('gone'), { code: 'connection' });
      };
      await say('a hound runs');
      await messages.indexMessages();
      assert.equal((await messages.searchHybrid('runs', 5)).found[0]?.line.text, 'a hound runs');
    });

    it('leave no table of LanceDB behind, and none that holds what was deleted', async () => {
      const id = await say('A hound barks');
      await say('An oak grows');
      await messages.indexMessages();
      const tables = () => readdirSync(path.join(directory, 'ollama-copilot.lance')).filter((name) => name.endsWith('.lance'));
      assert.deepEqual(await lines('puppy'), ['A hound barks', 'An oak grows']);
      const before = tables();
      assert.equal(before.length, isLance && lanceModuleIn(__dirname) !== null ? 1 : 0);
      await database.sessions.delete(id);
      await messages.deleteSessionEntries(id);
      assert.deepEqual([await lines('puppy'), tables().some((name) => before.includes(name))], [['An oak grows'], false]);
      await messages.recreateSearchTable();
      await messages.close();
      assert.ok(tables().length <= before.length);
    });

    it('are embedded by one window at a time and found in all', async () => {
      await say('the hound sleeps');
      const other = open();
      await messages.indexMessages();
      await say('a hound runs');
      await other.indexMessages();
      assert.equal(asked.length, 1, 'the first window embeds');
      assert.deepEqual(await lines('puppy', other), ['the hound sleeps']);
      await messages.close();
      await other.indexMessages();
      assert.deepEqual((await lines('puppy', other)).sort(), ['a hound runs', 'the hound sleeps']);
    });

    it('end while the server hangs', async () => {
      await say('the hound sleeps');
      let indexing = Promise.resolve();
      await new Promise<void>((begun) => {
        embed = (_model, _input, options) =>
          new Promise((_resolve, reject) => {
            options?.signal?.addEventListener('abort', () => reject(new CancelledError()));
            begun();
          });
        indexing = messages.indexMessages();
      });
      await messages.close();
      await indexing;
      const file = openSqlite(path.join(directory, 'ollama-copilot.lance/messages.sqlite'), { readOnly: true });
      assert.equal(file.prepare('SELECT count(*) AS n FROM vectors').get()?.['n'], 0);
      file.close();
    });
  });
}
