import assert from 'node:assert/strict';
import { FileError } from '../../../src/services/files/fileError';
import { editDocument, type EditableDocument } from '../../../src/vscode/workspace/documentEdit';

type Change = Parameters<Parameters<EditableDocument['onChange']>[0]>[0];

/** Returns a document whose save runs `during`, and whose first edits are rejected because the user types before them. */
function documentOf(
  text: string,
  more: { canSave?: boolean; onDisk?: () => string; typedFirst?: string[]; during?: (change: (change: Change) => void) => void },
) {
  const listeners = new Set<(change: Change) => void>();
  const typed = [...(more.typedFirst ?? [])];
  const world = { text, applied: [] as string[] };
  const change = (made: Change) => {
    world.text = made.text;
    for (const listener of listeners) listener(made);
  };
  const document: EditableDocument = {
    isClosed: false,
    lineEnd: '\n',
    getText: () => world.text,
    textOnDisk: async () => more.onDisk?.() ?? text,
    save: async () => {
      more.during?.(change);
      return more.canSave ?? true;
    },
    apply: async (_before, after) => {
      const key = typed.shift();
      if (key === undefined) change({ text: after, isTyped: false });
      else change({ text: key, isTyped: true });
      if (key === undefined) world.applied.push(after);
      return key === undefined;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  return { document, world, listeners };
}

const clock = { sleep: () => Promise.resolve() };
const toB = (text: string) => (text.includes('a') ? text.replace('a', 'b') : null);

describe('An edit of an open document', () => {
  it('is placed again in the text that the person has typed', async () => {
    const { document, world, listeners } = documentOf('a\nz', { typedFirst: ['a\nzt', 'a\nzty'] });
    assert.deepEqual(await editDocument(document, toB, clock), { before: 'a\nzty', after: 'b\nzty' });
    assert.deepEqual([world.applied, listeners.size], [['b\nzty'], 0]);
  });

  it('is not made if it does not fit the text any more', async () => {
    const { document, world } = documentOf('a', { typedFirst: ['typed'] });
    assert.equal(await editDocument(document, toB, clock), null);
    assert.deepEqual([world.text, world.applied], ['typed', []]);
  });

  it('includes what a formatter does on save, and not what the person types meanwhile', async () => {
    const { document, world } = documentOf('a\nz\n', {
      during: (change) => {
        change({ text: 'b\nzt\n', isTyped: true });
        change({ text: 'B;\nzt\n', isTyped: false });
        change({ text: 'B;\nzty\n', isTyped: true });
      },
    });
    assert.deepEqual(await editDocument(document, toB, clock), { before: 'a\nz\n', after: 'B;\nz\n' });
    assert.equal(world.text, 'B;\nzty\n');
  });

  it('is saved where the editor says no because the person has typed since', async () => {
    const { document } = documentOf('a\nz\n', {
      canSave: false,
      onDisk: () => 'b\nzt\n',
      during: (change) => {
        change({ text: 'b\nzt\n', isTyped: true });
        change({ text: 'b\nzty\n', isTyped: true });
      },
    });
    assert.deepEqual(await editDocument(document, toB, clock), { before: 'a\nz\n', after: 'b\nz\n' });
  });

  const unsaved = (during: (change: (change: Change) => void) => void) => documentOf('a\nz\n', { canSave: false, during });

  it('is undone if the document cannot be saved, without what the person has typed', async () => {
    const { document, world } = unsaved((change) => change({ text: 'b\nzt\n', isTyped: true }));
    await assert.rejects(
      editDocument(document, toB, clock),
      (error) => error instanceof FileError && error.reason === 'notSaved',
    );
    assert.equal(world.text, 'a\nzt\n');
  });

  it('stays if the document cannot be saved and the person has typed in it', async () => {
    const { document, world } = unsaved((change) => change({ text: 'bt\nz\n', isTyped: true }));
    const edited = await editDocument(document, toB, clock);
    assert.deepEqual([edited?.before, edited?.after, edited?.problem?.reason], ['a\nz\n', 'b\nz\n', 'unsaved']);
    assert.equal(world.text, 'bt\nz\n');
  });
});
