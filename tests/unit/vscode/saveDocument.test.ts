import assert from 'node:assert/strict';
import { saveDocument } from '../../../src/vscode/workspace/saveDocument';

describe('Saving a document in the editor', () => {
  /** Saves a document whose saves return `answers` in turn. The text is on disk after `onDiskAfter` pauses. */
  async function saved(answers: boolean[], onDiskAfter = Infinity) {
    let saves = 0;
    const pauses: number[] = [];
    const save = async () => {
      saves += 1;
      return answers[saves - 1] ?? false;
    };
    const clock = { sleep: async (ms: number) => void pauses.push(ms) };
    return { isSaved: await saveDocument({ save }, async () => pauses.length >= onDiskAfter, clock), saves, pauses };
  }

  it('is tried again after a short wait when the editor could not save it', async () => {
    assert.deepEqual(await saved([false, false, true]), { isSaved: true, saves: 3, pauses: [200, 400] });
  });

  it('is done when the text is on the disk, whatever the editor says', async () => {
    assert.deepEqual(await saved([], 0), { isSaved: true, saves: 1, pauses: [] });
    assert.deepEqual(await saved([], 1), { isSaved: true, saves: 1, pauses: [200] });
  });

  it('fails after three further tries', async () => {
    assert.deepEqual(await saved([]), { isSaved: false, saves: 4, pauses: [200, 400, 800] });
  });
});
