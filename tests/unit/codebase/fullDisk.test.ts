import assert from 'node:assert/strict';
import { canMount, mountSmallDisk, type SmallDisk } from '../checkpoint/support/smallDisk';
import { CodebaseError } from '../../../src/services/codebase/codebaseClient';
import { CodebaseBench } from './codebaseBench';

/** Asserts that the error is a typed error that the agent can report. */
const told = (error: unknown): void => assert.ok(error instanceof CodebaseError, String(error));

// Mounting needs permissions that not every user has.
if (!canMount()) process.stderr.write('Not tested, because mount is refused: an index on a disk that is full\n');
else
  describe('an index on a disk that is full', () => {
    let disk: SmallDisk;
    let bench: CodebaseBench;
    beforeEach(async () => {
      disk = mountSmallDisk() as SmallDisk;
      bench = await CodebaseBench.start();
      for (let index = 0; index < 60; index += 1)
        await bench.write(`f${index}.ts`, `export function unique${index}() {\n  return 'apple';\n}\n`.repeat(20));
      await bench.codebase.dispose();
      bench.directory = disk.folder;
      bench.codebase = bench.open();
    });
    afterEach(async () => {
      await bench.stop();
      disk.clean();
    });

    it('finds what is in it, ends nothing, and is whole once there is room', async () => {
      disk.fill();
      await bench.codebase.settled().catch(told);
      await bench.find('unique7').catch(told);
      disk.free();
      await bench.codebase.settled();
      assert.equal((await bench.paths('unique7'))[0], 'f7.ts');
      bench.model = 'embed';
      bench.embed = async (model, input) => ({ model, embeddings: input.map((text) => [text.length, 1, 2, 3]) });
      disk.fill();
      await bench.codebase.updateFiles([
        await bench.write('new.ts', `export const ${'zebra '.repeat(3)} = 'zebra';\n`.repeat(2_000)),
      ]);
      await bench.codebase.embed();
      assert.equal((await bench.paths('unique7'))[0], 'f7.ts');
      disk.free();
      await bench.codebase.updateFiles(null);
      await bench.codebase.settled();
      await bench.codebase.embed();
      const state = (await bench.codebase.states())[0]?.state;
      assert.equal(state?.vectors, state?.chunks);
    });
  });
