import { editor, problems, report } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { deferred } from '../../../src/agent/kernel/deferred';
import { EditorDiagnostics } from '../../../src/vscode/workspace/editorDiagnostics';
import { ManualClock } from '../database/support/manualClock';

describe('The problems of a file that was changed', () => {
  const never = new AbortController().signal;
  const file = '/project/a.ts';
  let clock: ManualClock;
  let diagnostics: EditorDiagnostics;
  after(() => void (editor.opening = Promise.resolve()));
  beforeEach(() => {
    clock = new ManualClock(1000);
    diagnostics = new EditorDiagnostics(clock);
    problems.clear();
    editor.opening = Promise.resolve();
  });

  /** Starts a change. `told` records the reported diagnostics, and after how many milliseconds. */
  function change(path = file, signal = never) {
    const watch = diagnostics.watch(path);
    const begun = clock.now();
    const told = { after: null as number | null, messages: [] as string[] };
    const over = watch.changes(signal).then(({ after }) => {
      watch.dispose();
      told.after = clock.now() - begun;
      told.messages = after.map(({ message }) => message);
    });
    return { told, over };
  }

  it('are waited for two seconds where nobody says anything, and less the next time', async () => {
    const first = change();
    await clock.advance(1999);
    assert.equal(first.told.after, null);
    await clock.advance(1);
    assert.deepEqual(first.told, { after: 2000, messages: [] });
    const second = change();
    await clock.advance(5000);
    assert.equal(second.told.after, 1000);
    const other = change('/project/a.css');
    await clock.advance(5000);
    assert.equal(other.told.after, 2000);
  });

  it('are told when nothing more comes of them', async () => {
    const { told } = change();
    await clock.advance(300);
    report(file, { line: 1, message: 'syntax' });
    await clock.advance(100);
    report(file, { line: 1, message: 'syntax' }, { line: 2, message: 'type' });
    await clock.advance(5000);
    assert.deepEqual(told, { after: 550, messages: ['syntax', 'type'] });
  });

  it('are told after two seconds although more and more comes', async () => {
    const { told } = change();
    for (let time = 0; time < 40; time += 1) {
      await clock.advance(100);
      report(file, { line: time, message: 'still looking' });
    }
    assert.deepEqual([told.after, told.messages], [2000, ['still looking']]);
  });

  it('are those of this file', async () => {
    const { told } = change();
    await clock.advance(100);
    report('/project/b.ts', { line: 1, message: 'elsewhere' });
    await clock.advance(5000);
    assert.deepEqual(told, { after: 2000, messages: [] });
  });

  it('are waited for two seconds in all where the editor opens the file late, or never', async () => {
    const opened = deferred<void>();
    editor.opening = opened.promise;
    const late = change();
    await clock.advance(1900);
    opened.resolve();
    report(file, { line: 1, message: 'syntax' });
    await clock.advance(99);
    assert.equal(late.told.after, null);
    await clock.advance(1);
    assert.deepEqual(late.told, { after: 2000, messages: ['syntax'] });
    editor.opening = new Promise(() => undefined);
    const unopened = change();
    await clock.advance(5000);
    assert.equal(unopened.told.after, 2000);
  });

  it('are not waited for when the run is stopped while the editor opens the file', async () => {
    editor.opening = new Promise(() => undefined);
    const stopping = new AbortController();
    const { told } = change(file, stopping.signal);
    await clock.advance(10);
    stopping.abort();
    await clock.advance(0);
    assert.equal(told.after, 10);
  });

  it('are not waited for when the run is stopped', async () => {
    const stopping = new AbortController();
    const { told, over } = change(file, stopping.signal);
    await clock.advance(10);
    stopping.abort();
    await over;
    assert.equal(told.after, 10);
  });
});
