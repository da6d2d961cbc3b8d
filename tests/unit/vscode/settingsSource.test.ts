import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { Settings } from '../../../src/config/settings';
import { completionCommands } from '../../../src/vscode/commands/completionCommands';
import { editorSettings, offeredSettings, ownEntries, saveModel } from '../../../src/vscode/settingsSource';

describe('the settings that a package offers', () => {
  it('are those of its manifest', () => {
    const properties = { 'ollamaCopilot.baseUrl': {} };
    const isOffered = offeredSettings({ contributes: { configuration: { properties } } });
    assert.deepEqual([isOffered('baseUrl'), isOffered('search.useLanceDB')], [true, false]);
  });
});

describe('saving a setting that the workspace makes stricter', () => {
  const settings = new Settings(editorSettings({ answerTo: () => undefined }), () => undefined);
  const { toggleAutoComplete } = completionCommands(settings, () => Promise.reject(new Error('not loaded')));
  const messages = () => editorCalls.filter(({ name }) => name === 'showInformationMessage').map(({ args }) => args[0]);
  const clear = () => {
    editor.userSettings.clear();
    editor.workspaceSettings.clear();
    editorCalls.length = 0;
  };
  beforeEach(clear);
  after(clear);

  it('saves for the user, and says where the command has no effect here', async () => {
    editor.workspaceSettings.set('ollamaCopilot.enableAutoComplete', false);
    editor.userSettings.set('ollamaCopilot.enableAutoComplete', false);
    await toggleAutoComplete();
    assert.equal(editor.userSettings.get('ollamaCopilot.enableAutoComplete'), true);
    assert.equal(settings.getCompletionConfig().isAutomatic, false);
    assert.deepEqual(messages(), [
      'The setting was saved, but this workspace uses its own stricter value of ollamaCopilot.enableAutoComplete.',
    ]);
  });

  it('says nothing where the command has its effect', async () => {
    editor.workspaceSettings.set('ollamaCopilot.enableAutoComplete', true);
    await toggleAutoComplete();
    assert.equal(settings.getCompletionConfig().isAutomatic, false);
    await toggleAutoComplete();
    assert.equal(settings.getCompletionConfig().isAutomatic, true);
    assert.deepEqual(messages(), []);
  });

  it('does not make entries of the workspace the user’s', () => {
    editor.userSettings.set('ollamaCopilot.agent.disabledTools', ['mine', 'both']);
    editor.workspaceSettings.set('ollamaCopilot.agent.disabledTools', ['theirs', 'both']);
    const { disabledTools } = settings.getAgentConfig();
    assert.deepEqual(disabledTools, ['mine', 'both', 'theirs']);
    assert.deepEqual(ownEntries('agent.disabledTools', [...disabledTools, 'new']), ['mine', 'both', 'new']);
    assert.deepEqual(ownEntries('agent.disabledTools', ['mine', 'theirs']), ['mine']);
  });
});

describe('saving the model that a person picks', () => {
  const settings = new Settings(editorSettings({ answerTo: () => undefined }), () => undefined);
  const models = () => [settings.getModeConfig('agent').model, settings.getModeConfig('ask').model];
  beforeEach(() => editor.userSettings.clear());
  after(() => editor.userSettings.clear());

  it('keeps it when the mode changes', async () => {
    await saveModel('agent', 'picked:4b');
    assert.deepEqual(models(), ['picked:4b', 'picked:4b']);
    assert.deepEqual([...editor.userSettings], [['ollamaCopilot.chat.model', 'picked:4b']]);
  });

  it('leaves the own model of another mode, and replaces that of the mode', async () => {
    editor.userSettings.set('ollamaCopilot.askMode.model', 'own:1b');
    await saveModel('agent', 'picked:4b');
    assert.deepEqual(models(), ['picked:4b', 'own:1b']);
    await saveModel('ask', 'other:8b');
    assert.deepEqual(models(), ['other:8b', 'other:8b']);
  });
});
