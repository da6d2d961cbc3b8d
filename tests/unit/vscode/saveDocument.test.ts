import assert from 'node:assert/strict';
import { saveDocument } from '../../../src/vscode/workspace/saveDocument';

describe('Saving a document in the editor', () => {
  /** A document whose saves give these answers in turn, and a disk that has `disk` after so many pauses. */
  async function saved(answers: boolean[], more: { onDiskAfter?: number; typesAfter?: number } = {}) {
    let [saves, text] = [0, 'new'];
    const pauses: number[] = [];
    const document = {
      getText: () => text,
      save: () => {
        const answer = answers[saves] ?? false;
        saves += 1;
        if (saves === more.typesAfter) text = 'new and typed';
        return Promise.resolve(answer);
      },
    };
    const isOnDisk = (asked: string) => Promise.resolve(asked === 'new' && pauses.length >= (more.onDiskAfter ?? Infinity));
    const clock = { sleep: (ms: number) => Promise.resolve(void pauses.push(ms)) };
    return { isSaved: await saveDocument(document, isOnDisk, clock), saves, pauses };
  }

  it('is tried again after a short wait when the editor could not save it', async () => {
    assert.deepEqual(await saved([false, false, true]), { isSaved: true, saves: 3, pauses: [200, 400] });
  });

  it('is done when the text is on the disk, whatever the editor says', async () => {
    assert.deepEqual(await saved([], { onDiskAfter: 0 }), { isSaved: true, saves: 1, pauses: [] });
    assert.deepEqual(await saved([], { onDiskAfter: 1 }), { isSaved: true, saves: 1, pauses: [200] });
  });

  it('fails after three further tries', async () => {
    assert.deepEqual(await saved([]), { isSaved: false, saves: 4, pauses: [200, 400, 800] });
  });

  it('is tried again with what the person has typed meanwhile', async () => {
    assert.deepEqual(await saved([false, true], { typesAfter: 1 }), { isSaved: true, saves: 2, pauses: [200] });
  });
});
