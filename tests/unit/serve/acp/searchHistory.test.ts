import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Workplace } from './workplace';

describe('search_history over the Agent Client Protocol', () => {
  let work: Workplace;
  let other: string;

  beforeEach(async () => {
    const worker = { name: 'worker', capabilities: ['completion' as const, 'tools' as const], contextLength: 32_768 };
    work = await Workplace.open([worker], ['--model', 'worker'], {
      'agent.loadTools': false,
      'agent.sessionTitleGeneration': false,
    });
    other = path.join(work.root, 'shop');
    await mkdir(other);
    await say(other, 'The staging port of the shop is 5822');
    await say(work.folder, 'The staging port is 4711');
  });

  afterEach(() => work.close());

  async function say(folder: string, text: string): Promise<void> {
    const sessionId = await work.editor.begin(folder);
    work.double.script.push('Noted.');
    await work.editor.prompt(sessionId, text);
  }

  /** Starts a new session in the project that searches. Returns what the client and the model receive. */
  async function searched(input: object): Promise<{ told: string; sent: string }> {
    const sessionId = await work.editor.begin(work.folder);
    const call = { name: 'search_history', arguments: { query: 'staging port', ...input } };
    work.double.script.push([{ call }], 'Done. [TASK_COMPLETE]');
    await work.editor.prompt(sessionId, 'Which port?');
    const own = work.editor.notified.filter((one) => one.sessionId === sessionId);
    const result = own.find(({ update }) => update.sessionUpdate === 'tool_call_update');
    return { told: JSON.stringify(result), sent: JSON.stringify(work.double.requestsTo('/api/chat').at(-1)?.body) };
  }

  it('tells of chats of the folder of the session only, and asks nothing', async () => {
    const { told, sent } = await searched({});
    for (const text of [told, sent]) {
      assert.match(text, /4711/);
      assert.doesNotMatch(text, /5822/);
    }
    assert.deepEqual(work.editor.asked, []);
  });

  for (const [choice, isAllowed] of [
    ['once', true],
    ['no', false],
    ['always', false],
    [null, false],
  ] as const)
    it(`tells ${isAllowed ? 'of' : 'nothing of'} another project after a request that names it and the answer ${String(choice)}`, async () => {
      let before = '';
      work.editor.choose = ({ sessionId }) => {
        const told = work.editor.notified.filter((one) => one.sessionId === sessionId);
        before = JSON.stringify([told, work.double.requestsTo('/api/chat').at(-1)?.body]);
        return choice;
      };
      const { told, sent } = await searched({ otherProjects: true });
      const [asked, ...more] = work.editor.asked;
      assert.deepEqual(more, []);
      assert.equal(asked?.toolCall.kind, 'read');
      assert.match(JSON.stringify(asked.toolCall.content), new RegExp(`Project: ${other}\\b`));
      assert.doesNotMatch(JSON.stringify(asked) + before, /5822/, 'nothing is told before the answer');
      for (const text of [told, sent]) {
        assert.match(text, /4711/);
        assert.equal(/5822/.test(text), isAllowed);
      }
    });
});
