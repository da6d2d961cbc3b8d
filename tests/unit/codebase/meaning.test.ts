import assert from 'node:assert/strict';
import { CancelledError } from '../../../src/utils/errors';
import { CodebaseBench } from './codebaseBench';

/** Groups of synonyms. Each group is one dimension. */
const meanings = [/car|automobile|vehicle/i, /dog|hound|puppy/i, /tree|oak/i];
const vectorOf = (text: string): number[] => [...meanings.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.1];
const embedAll = async (model: string, input: string[]) => ({ model, embeddings: input.map(vectorOf) });
const files = { 'a.txt': 'automobile', 'b.txt': 'hound', 'c.txt': 'oak' };

for (const isLance of [false, true]) describeMeaning(isLance);

/** Runs the same tests with both vector stores. If LanceDB is not installed, the built-in store replaces it. */
function describeMeaning(isLance: boolean): void {
  describe(`code by meaning${isLance ? ', with LanceDB' : ''}`, () => {
    let bench: CodebaseBench;
    beforeEach(async () => {
      bench = await CodebaseBench.start(files);
      bench.config.isLance = isLance;
      bench.model = 'embed';
      bench.embed = embedAll;
    });
    afterEach(() => bench.stop());

    const indexed = async (): Promise<void> => {
      await bench.codebase.settled();
      await bench.codebase.embed();
    };
    const vectors = async () => (await bench.codebase.states())[0]?.state.vectors;

    it('is found in words that are nowhere in it', async () => {
      await indexed();
      const [found] = await bench.find('puppy');
      assert.deepEqual([found?.path, found?.by], ['b.txt', ['meaning']]);
      assert.equal((await bench.paths('hound'))[0], 'b.txt');
    });

    it('is searched alone, or not at all, where that is asked for', async () => {
      await indexed();
      const paths = async (way: 'words' | 'meaning') =>
        (await bench.codebase.find('hound', 10, new AbortController().signal, way)).finds.map(({ path, by }) => [path, by]);
      assert.deepEqual(await paths('words'), [['b.txt', ['words']]]);
      assert.deepEqual((await paths('meaning'))[0], ['b.txt', ['words', 'meaning']]);
      assert.equal((await paths('meaning')).length, 3);
      bench.model = '';
      assert.deepEqual(await paths('meaning'), []);
    });

    it('takes no more room than it may: no more is embedded, and that is told', async () => {
      await bench.codebase.settled();
      const bytes = (await bench.codebase.states())[0]?.state.bytes ?? 0;
      bench.config.maxBytes = bytes - 1;
      await bench.codebase.embed();
      assert.deepEqual([await vectors(), (await bench.codebase.status()).isFull], [0, true]);
      bench.config.maxBytes = 1_000_000_000;
      await indexed();
      await bench.codebase.updateFiles(null);
      await indexed();
      assert.deepEqual([await vectors(), (await bench.codebase.status()).isFull], [3, false]);
    });

    it('is off without a model, which is suggested', async () => {
      bench.model = '';
      await indexed();
      assert.deepEqual([await bench.find('puppy'), await vectors()], [[], 0]);
      assert.deepEqual(await bench.codebase.meaning(), { model: null, suggestion: 'embed:latest' });
    });

    it('follows a change, and is there after a restart without a second request', async () => {
      await indexed();
      await bench.codebase.updateFiles([await bench.write('b.txt', 'a tall oak')]);
      await bench.codebase.embed();
      assert.ok(!(await bench.find('puppy')).some(({ text }) => text.includes('hound')));
      await bench.reopen();
      bench.embed = async (model, input) => {
        assert.equal(input.length, 1, 'only the query');
        return embedAll(model, input);
      };
      await indexed();
      assert.equal((await bench.paths('vehicle'))[0], 'a.txt');
    });

    it('halves a batch that fails and leaves out a text that cannot be embedded', async () => {
      const sizes: number[] = [];
      bench.embed = async (model, input) => {
        sizes.push(input.length);
        if (input.some((text) => text.includes('hound'))) throw new Error('input is too long');
        return embedAll(model, input);
      };
      await indexed();
      assert.deepEqual([(await bench.paths('vehicle'))[0], await vectors()], ['a.txt', 3]);
      assert.ok(sizes.includes(3) && sizes.includes(1), sizes.join());
      const before = sizes.length;
      await bench.codebase.embed();
      assert.equal(sizes.length, before, 'it is not asked again');
    });

    it('refuses what is no number', async () => {
      bench.embed = async (model, input) => ({ model, embeddings: input.map(() => [Number.NaN, 1, 0, 0]) });
      await indexed();
      bench.embed = embedAll;
      assert.deepEqual(await bench.find('puppy'), []);
      assert.deepEqual(await bench.paths('hound'), ['b.txt']);
    });

    it('begins anew when vectors have another length', async () => {
      await indexed();
      bench.embed = async (model, input) => ({ model, embeddings: input.map((text) => [...vectorOf(text), 0, 0]) });
      await bench.codebase.updateFiles([await bench.write('d.txt', 'a red vehicle')]);
      await bench.codebase.embed();
      assert.equal(await vectors(), 4);
      assert.deepEqual((await bench.paths('car')).slice(0, 2).sort(), ['a.txt', 'd.txt']);
    });

    it('tells how far it is, and when it is over', async () => {
      await bench.codebase.settled();
      const told: unknown[] = [];
      bench.codebase.onDidProgress((progress) => told.push(progress));
      await bench.codebase.embed();
      assert.deepEqual(told, [{ done: 0, all: 3, model: 'embed:latest' }, null]);
    });

    it('waits while a chat needs the server', async () => {
      const model = () => Promise.resolve(null);
      bench.arbiter.trackRun({ sessionId: 's', state: 'running' }, model);
      await bench.codebase.settled();
      const embedding = bench.codebase.embed();
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(await vectors(), 0);
      bench.arbiter.trackRun({ sessionId: 's', state: 'idle' }, model);
      await embedding;
      assert.equal(await vectors(), 3);
    });

    it('is paused and goes on, and is gone when the index is deleted', async () => {
      await bench.codebase.settled();
      bench.codebase.pause(true);
      const embedding = bench.codebase.embed();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { vectors: before, isPaused, chunks, rate } = await bench.codebase.status();
      assert.deepEqual([before, isPaused, chunks, rate], [0, true, 3, null]);
      bench.codebase.pause(false);
      await embedding;
      const { vectors: after, model, files: count, isComplete } = await bench.codebase.status();
      assert.deepEqual([after, model, count, isComplete], [3, 'embed:latest', 3, true]);
      await bench.codebase.remove();
      assert.deepEqual((await bench.codebase.status()).bytes, 0);
      assert.deepEqual(await bench.paths('hound'), ['b.txt'], 'it is made anew when it is asked for');
    });

    it('finds by words where the server hangs over a query', async () => {
      await indexed();
      let given: AbortSignal | undefined;
      bench.embed = (_model, _input, options) =>
        new Promise((_resolve, reject) => {
          given = options?.signal;
          given?.addEventListener('abort', () => reject(new CancelledError()));
        });
      assert.deepEqual(await bench.paths('hound'), ['b.txt']);
      assert.equal(given?.aborted, true);
    });

    it('goes on after a server that died between two batches', async () => {
      for (let index = 0; index < 40; index += 1) await bench.write(`more${index}.txt`, `puppy ${index}`);
      await bench.codebase.settled();
      let batches = 0;
      bench.embed = async (model, input) => {
        batches += 1;
        if (batches === 2) throw Object.assign(new Error('gone'), { code: 'connection' });
        return embedAll(model, input);
      };
      await bench.codebase.embed();
      assert.equal(await vectors(), 16);
      await bench.codebase.embed();
      assert.deepEqual([await vectors(), batches], [43, 4]);
    });

    it('leaves words alone where the server fails', async () => {
      await indexed();
      bench.embed = async () => {
        throw Object.assign(new Error('gone'), { code: 'connection' });
      };
      assert.deepEqual(await bench.paths('hound'), ['b.txt']);
    });
  });
}
