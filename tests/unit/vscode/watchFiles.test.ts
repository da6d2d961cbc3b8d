import { editor, fileListeners } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { watchFiles, type FileWatch } from '../../../src/vscode/workspace/watchFiles';

describe('What the watcher tells of files', () => {
  let watch: FileWatch;
  let told: (readonly string[] | null)[];
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    editor.folder = '/project';
    told = [];
    watch = watchFiles((changed) => told.push(changed));
    watch.setActive(true);
    change('/first');
  });
  afterEach(() => {
    void watch.dispose();
    editor.userSettings.clear();
    editor.folder = null;
    mock.timers.reset();
  });

  /** Changes all files at once, then waits until the changes are reported. */
  function change(...files: string[]): void {
    for (const file of files) for (const listener of fileListeners) listener(vscode.Uri.file(file));
    mock.timers.tick(300);
  }

  it('is where something has changed since it told last, and not yet what was before it began', () => {
    change('/a', '/b', '/a');
    change('/c');
    assert.deepEqual(told, [null, ['/a', '/b'], ['/c']]);
  });

  it('comes at the latest every two seconds where something changes all the time', () => {
    for (let count = 0; count < 24; count += 1) {
      for (const listener of fileListeners) listener(vscode.Uri.file('/log'));
      mock.timers.tick(200);
    }
    // Two reports in 4,800 ms.
    assert.deepEqual(told, [null, ['/log'], ['/log']]);
  });

  it('is nothing certain after a time in which nobody watched', () => {
    watch.setActive(false);
    change('/a');
    assert.equal(fileListeners.size, 0);
    watch.setActive(true);
    change('/b');
    change('/c');
    assert.deepEqual(told, [null, null, ['/c']]);
  });

  it('is nothing certain where very much changes at once', () => {
    change(...Array.from({ length: 501 }, (_, index) => `/${index}`), '/more');
    change('/a');
    assert.deepEqual(told, [null, null, ['/a']]);
  });

  it('is nothing certain where more is left out of watching than the histories of git and Mercurial', () => {
    editor.userSettings.set('files.watcherExclude', {
      '**/.git/objects/**': true,
      '*/.git/objects/**': true,
      '.hg/store/**': true,
      'lib/**': false,
    });
    change('/a');
    editor.userSettings.set('files.watcherExclude', { '**/.git/objects/**': true, 'lib/**': true });
    change('/b');
    change('/c');
    editor.userSettings.set('files.watcherExclude', { '{**/.git/objects/**,**/out/**}': true });
    change('/d');
    assert.deepEqual(told, [null, ['/a'], null, null, null]);
  });
});
