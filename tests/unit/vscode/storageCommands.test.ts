import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { storageCommands } from '../../../src/vscode/commands/storageCommands';

describe('deleting everything that is stored', () => {
  let cleared: number;
  let failure: Error | null;
  const commands = storageCommands(
    () => Promise.reject(new Error('nothing is asked of what is stored')),
    async () => {
      cleared += 1;
      if (failure !== null) throw failure;
    },
  );
  const said = () => editorCalls.map(({ name, args: [text] }) => [name, text]);
  const question = ['showWarningMessage', 'Delete all chats of this workspace?'];

  beforeEach(() => {
    cleared = 0;
    failure = null;
    editorCalls.length = 0;
  });
  afterEach(() => (editor.answer = undefined));

  it('is asked for in a modal dialog, which says what goes and that it cannot be undone', async () => {
    editor.answer = 'Delete All Chats';
    await commands.clearAllData();
    const [, options, ...buttons] = editorCalls[0]?.args ?? [];
    const { modal, detail } = options as { modal: boolean; detail: string };
    assert.deepEqual([modal, buttons], [true, ['Delete All Chats']]);
    assert.match(detail, /^Deletes all chats, checkpoints and file contents .* cannot be undone\./);
    assert.equal(cleared, 1);
    assert.deepEqual(said(), [question, ['showInformationMessage', 'All chats and their stored data were deleted.']]);
  });

  it('is not done where the dialog is closed or answered otherwise', async () => {
    for (const answer of [undefined, 'Delete']) {
      editor.answer = answer;
      await commands.clearAllData();
    }
    assert.deepEqual([cleared, said()], [0, [question, question]]);
  });

  it('that fails is not said to be done', async () => {
    editor.answer = 'Delete All Chats';
    failure = new Error('in use');
    await assert.rejects(async () => void (await commands.clearAllData()), failure);
    assert.deepEqual(said(), [question]);
  });
});
