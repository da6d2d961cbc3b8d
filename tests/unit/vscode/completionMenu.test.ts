import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { showCompletionMenu, testAgain, type CompletionMenuActions } from '../../../src/vscode/completion/completionMenu';

describe('the menu of suggestions', () => {
  const run: string[] = [];
  const actions: CompletionMenuActions = {
    isAutomatic: true,
    isSnoozed: false,
    language: null,
    warnings: [],
    toggle: () => run.push('toggle'),
    snooze: () => run.push('snooze'),
    wake: () => run.push('wake'),
    toggleLanguage: () => run.push('language'),
    test: () => run.push('test'),
    openSettings: () => run.push('settings'),
  };
  const labels = () => (editorCalls.at(-1)?.args[0] as { label: string }[]).map(({ label }) => label);
  beforeEach(() => {
    run.length = 0;
    editorCalls.length = 0;
  });
  afterEach(() => (editor.answer = undefined));

  it('begins with what is wrong with the model and a new test, if something is wrong', async () => {
    await showCompletionMenu(actions);
    assert.deepEqual(labels(), [
      '$(circle-slash) Turn off',
      '$(bell-slash) Snooze for 5 minutes',
      '$(settings-gear) Model and settings',
    ]);
    editor.picks.push('$(beaker) Test this model again');
    await showCompletionMenu({ ...actions, warnings: ['coder:1b failed the self-test.'] });
    assert.deepEqual(labels().slice(0, 2), ['$(warning) coder:1b failed the self-test.', '$(beaker) Test this model again']);
    editor.picks.push('$(warning) coder:1b failed the self-test.');
    await showCompletionMenu({ ...actions, warnings: ['coder:1b failed the self-test.'] });
    assert.deepEqual(run, ['test', 'settings']);
  });

  it('shows the result of a new test, and the reason of one that could not be made', async () => {
    const settings = () => run.push('settings');
    const said = () => [editorCalls.at(-1)?.name, editorCalls.at(-1)?.args[0]];
    await testAgain('coder:1b', async () => ({ verdict: 'can', words: 'Passed.' }), settings);
    assert.deepEqual(said(), ['showInformationMessage', 'Inline suggestions are on, with coder:1b.']);
    editor.answer = 'Choose another model';
    await testAgain('coder:1b', async () => ({ verdict: 'cannot', words: 'It failed.' }), settings);
    assert.deepEqual(said(), ['showWarningMessage', 'It failed.']);
    editor.answer = undefined;
    await testAgain('coder:1b', () => Promise.reject(new Error('no server')), settings);
    assert.deepEqual(said(), ['showWarningMessage', 'no server']);
    assert.deepEqual(run, ['settings']);
  });
});
