import { afterEach, describe, expect, it } from 'vitest';
import type { ChangedFileState } from '../../src/protocol/changedFiles';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const changed: ChangedFileState[] = [
  { path: '/w/src/a.ts', shown: 'src/a.ts', status: 'modified', lines: { additions: 24, deletions: 3 }, places: [4, 90] },
  { path: '/w/b.png', shown: 'b.png', status: 'created', lines: null, places: [1] },
];

function log(): TestLog {
  const entries = new TestLog();
  entries.user('Do it');
  entries.add('assistant_output', 'Done.', { end: 'complete' });
  entries.add('run_end', '', { outcome: 'done' });
  return entries;
}

async function press(name: string): Promise<void> {
  get(app.root, 'button', name).click();
  await app.settle();
}

describe('the region of changed files', () => {
  it('leaves the space of the toggle in a row that has none', async () => {
    const hunk = { id: 'h1', line: 4, text: 'const a = 1;', additions: 1, deletions: 0 };
    const gone: ChangedFileState = { path: '/w/gone.ts', shown: 'gone.ts', status: 'deleted', lines: null, places: [1] };
    const [first] = changed;
    app = await startApp({ log: log(), changed: [...(first ? [{ ...first, hunks: [hunk] }] : []), gone] });
    const starts = () => all(get(app.root, 'region', 'Files changed'), 'listitem').map((row) => row.firstElementChild);
    expect(starts().map((start) => start?.classList.contains('expand'))).toEqual([true, true]);
    app.port.emit('changes', { sessionId: 's1', files: [gone], revertible: [] });
    await app.settle();
    expect(starts().map((start) => start?.classList.contains('expand'))).toEqual([false]);
  });

  it('names every file with what can be done about it, and is not there without any', async () => {
    app = await startApp({ log: log(), changed });
    const region = get(app.root, 'region', 'Files changed');
    expect(all(region, 'listitem').map((row) => spokenText(row))).toEqual([
      expect.stringMatching(/modified.*src\/a\.ts.*24 lines added, 3 removed/),
      expect.stringMatching(/created.*b\.png/),
    ]);
    for (const name of ['src/a.ts', 'b.png']) {
      for (const verb of ['Review', 'Keep', 'Undo']) expect(has(region, 'button', `${verb} ${name}`)).toBe(true);
    }
    const [first] = changed;
    app.port.emit('changes', {
      sessionId: 's1',
      files: first ? [{ ...first, lines: { additions: 1, deletions: 0 } }] : [],
      revertible: [],
    });
    await app.settle();
    expect(spokenText(get(region, 'listitem'))).toContain('1 line added, 0 removed');
    expect(get(region, 'listitem').textContent).not.toContain('−0');
    app.port.emit('changes', { sessionId: 's1', files: [], revertible: [] });
    await app.settle();
    expect(has(app.root, 'region', 'Files changed')).toBe(false);
  });

  it('says what a renamed file was called', async () => {
    const counts = { lines: { additions: 0, deletions: 0 }, places: [1] };
    const file = { path: '/w/src/new.ts', shown: 'src/new.ts', from: 'src/old.ts', status: 'renamed' as const, ...counts };
    app = await startApp({ log: log(), changed: [file] });
    const region = get(app.root, 'region', 'Files changed');
    expect(all(region, 'listitem').map((row) => spokenText(row))).toEqual([
      expect.stringMatching(/renamed.*src\/new\.ts.*was src\/old\.ts/),
    ]);
    expect(get(region, 'button', 'Review src/new.ts, was src/old.ts').title).toBe('src/old.ts → src/new.ts');
  });

  it('keeps and undoes one file or all', async () => {
    app = await startApp({ log: log(), changed });
    await press('Keep src/a.ts');
    expect(app.api.keepChanges).toHaveBeenLastCalledWith({ sessionId: 's1', paths: ['/w/src/a.ts'] });
    await press('Undo b.png');
    expect(app.api.undoChanges).toHaveBeenLastCalledWith({ sessionId: 's1', paths: ['/w/b.png'] });
    await press('Keep all');
    expect(app.api.keepChanges).toHaveBeenLastCalledWith({ sessionId: 's1', paths: null });
    await press('Undo all');
    expect(app.api.undoChanges).toHaveBeenLastCalledWith({ sessionId: 's1', paths: null });
  });

  it('says what could not be undone', async () => {
    app = await startApp({ log: log(), changed });
    app.api.undoChanges.mockResolvedValueOnce({ problems: ['b.png was changed at this very moment.'] });
    await press('Undo all');
    expect(app.root.textContent).toContain('b.png was changed at this very moment.');
  });

  it('steps through the changes where the editor is, and says where that is', async () => {
    app = await startApp({ log: log(), changed });
    const region = get(app.root, 'region', 'Files changed');
    expect(spokenText(region)).toContain('3 changes');
    await press('Next change');
    await press('Previous change');
    expect(app.api.stepChange.mock.calls.map(([{ direction }]) => direction)).toEqual(['next', 'previous']);
    const position = { current: 2, total: 7, path: '/w/src/a.ts', additions: 3, deletions: 1 };
    app.port.emit('reviewPosition', { sessionId: 's1', position });
    await app.settle();
    expect(spokenText(region)).toContain('Change 2 of 7 3 lines added, 1 removed');
    expect(all(region, 'listitem').map((row) => row.getAttribute('aria-current'))).toEqual(['true', null]);
    app.port.emit('reviewPosition', { sessionId: 's1', position: null });
    await app.settle();
    expect(spokenText(region)).toContain('3 changes');
    await press('Review src/a.ts');
    expect(app.api.reviewChange).toHaveBeenLastCalledWith({ sessionId: 's1', path: '/w/src/a.ts' });
  });

  it('lists the changes within a file, each to be gone to, kept or undone', async () => {
    const [first] = changed;
    const hunks = [
      { id: 'h1', line: 4, text: 'const a = 1;', additions: 1, deletions: 1 },
      { id: 'h2', line: 90, text: 'return b;', additions: 23, deletions: 2 },
    ];
    app = await startApp({ log: log(), changed: first ? [{ ...first, hunks }] : [] });
    await press('Changes in src/a.ts');
    const list = get(app.root, 'list', 'Changes in src/a.ts');
    expect(spokenText(list)).toContain('const a = 1;');
    await press('Go to the change on line 90 of src/a.ts');
    expect(app.api.reviewChange).toHaveBeenLastCalledWith({ sessionId: 's1', path: '/w/src/a.ts', line: 90 });
    await press('Keep the change in line 4 of src/a.ts');
    expect(app.api.keepHunk).toHaveBeenLastCalledWith({ sessionId: 's1', path: '/w/src/a.ts', id: 'h1' });
    app.api.undoHunk.mockResolvedValueOnce({ problems: ['src/a.ts was changed at this very moment.'] });
    await press('Undo the change in line 90 of src/a.ts');
    expect(app.api.undoHunk).toHaveBeenLastCalledWith({ sessionId: 's1', path: '/w/src/a.ts', id: 'h2' });
    expect(app.root.textContent).toContain('src/a.ts was changed at this very moment.');
    await press('Compare with original');
    expect(app.api.compareChange).toHaveBeenLastCalledWith({ sessionId: 's1', path: '/w/src/a.ts' });
  });

  it('answers for one message where several have changes that wait', async () => {
    const entries = log();
    const second = entries.user('And that').seq;
    entries.add('assistant_output', 'Done too.', { end: 'complete' });
    entries.add('run_end', '', { outcome: 'done' });
    const [first] = changed;
    const both = first ? [{ ...first, turns: [1, second] }] : [];
    app = await startApp({ log: entries, changed: both });
    const answers = all(app.root, 'article', 'Assistant');
    expect(answers.map((one) => has(one, 'button', 'Undo the changes from this answer'))).toEqual([true, true]);
    const last = answers[1] ?? app.root;
    // Both buttons have one parent, so that they wrap together.
    const buttons = ['Keep', 'Undo'].map((name) => get(last, 'button', `${name} the changes from this answer`));
    expect(buttons.map(({ parentElement }) => parentElement?.childElementCount)).toEqual([2, 2]);
    get(last, 'button', 'Keep the changes from this answer').click();
    await app.settle();
    expect(app.api.keepMessage).toHaveBeenLastCalledWith({ sessionId: 's1', turn: second });
    get(last, 'button', 'Undo the changes from this answer').click();
    await app.settle();
    expect(app.api.undoMessage).toHaveBeenLastCalledWith({ sessionId: 's1', turn: second });
    app.port.emit('changes', { sessionId: 's1', files: first ? [{ ...first, turns: [second] }] : [], revertible: [] });
    await app.settle();
    expect(has(app.root, 'button', 'Undo the changes from this answer')).toBe(false);
  });

  it('ignores what another session tells', async () => {
    app = await startApp({ log: log(), changed });
    app.port.emit('changes', { sessionId: 'other', files: [], revertible: [] });
    await app.settle();
    expect(has(app.root, 'region', 'Files changed')).toBe(true);
  });
});

describe('an answer about changed files', () => {
  const answers = [
    { action: 'keep', says: 'Kept src/a.ts', button: 'Undo Keep', then: 'Kept src/a.ts – pending again' },
    { action: 'undo', says: 'Undid changes to src/a.ts', button: 'Reapply', then: 'Undid changes to src/a.ts – reapplied' },
  ] as const;
  it.each(answers)('is shown in the chat and can be reverted once: $button', async ({ action, says, button, then }) => {
    const entries = log();
    const { seq } = entries.add('review', '', { action, scope: 'file', paths: ['src/a.ts'] });
    app = await startApp({ log: entries, revertible: [seq] });
    expect(app.root.textContent).toContain(says);
    await press(button);
    expect(app.api.takeBackReview).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', seq });
    const from = entries.entries.length;
    entries.add('review', '', { action: 'revert', scope: 'file', paths: ['src/a.ts'], targetSeq: seq });
    await app.sendEntries(entries, from);
    await app.settle();
    expect(has(app.root, 'button', button)).toBe(false);
    expect(app.root.textContent).toContain(then);
  });

  it.each(answers)(
    'has no button where it cannot be reverted, as in an imported chat: $says',
    async ({ action, says, button }) => {
      const entries = log();
      const { seq } = entries.add('review', '', { action, scope: 'file', paths: ['src/a.ts'] });
      app = await startApp({ log: entries });
      expect(app.root.textContent).toContain(says);
      expect(has(app.root, 'button', button)).toBe(false);
      app.port.emit('changes', { sessionId: 's1', files: [], revertible: [seq] });
      await app.settle();
      expect(has(app.root, 'button', button)).toBe(true);
    },
  );

  it('names the files that are left after one of them is pending again, and offers to reapply them', async () => {
    const entries = log();
    const { seq } = entries.add('review', '', { action: 'undo', scope: 'all', paths: ['src/a.ts', 'src/b.ts'] });
    entries.add('review', '', { action: 'revert', scope: 'file', paths: ['src/a.ts'], targetSeq: seq });
    app = await startApp({ log: entries });
    app.port.emit('changes', { sessionId: 's1', files: [], revertible: [seq] });
    await app.settle();
    expect(app.root.textContent).toContain('Undid changes to src/b.ts');
    expect(app.root.textContent).not.toContain('reapplied');
    expect(has(app.root, 'button', 'Reapply')).toBe(true);
  });

  const hunk = { path: 'src/a.ts', id: '1', line: 3, text: 'one', additions: 1, deletions: 0 };
  const ofHunks = [
    { action: 'keep', hunks: [hunk], says: 'Kept 1 change in src/a.ts' },
    { action: 'undo', hunks: [hunk], says: 'Undid 1 change in src/a.ts' },
    { action: 'undo', hunks: [hunk, { ...hunk, id: '2', line: 9 }], says: 'Undid 2 changes in src/a.ts' },
    { action: 'keep', hunks: [], says: 'Kept src/a.ts' },
  ] as const;
  it.each(ofHunks)('names single changes, not the whole file: $says', async ({ action, hunks, says }) => {
    const entries = log();
    entries.add('review', '', { action, scope: 'hunk', paths: ['src/a.ts'], hunks: [...hunks] });
    app = await startApp({ log: entries });
    expect(app.root.textContent).toContain(says);
  });
});
