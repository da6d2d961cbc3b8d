import assert from 'node:assert/strict';
import type { ContentBlock, InitializeResponse } from '@agentclientprotocol/sdk';
import { maxImageBytes } from '../../../../src/protocol/context/imageRef';
import { png as pngOf } from '../../../support/images';
import { Workplace } from './workplace';

const image = (data: string, mimeType = 'image/png'): ContentBlock => ({ type: 'image', data, mimeType });

describe('images of the Agent Client Protocol', () => {
  let work: Workplace;
  const png = pngOf(2, 2).toString('base64');

  beforeEach(async () => {
    work = await Workplace.open([
      { name: 'worker', capabilities: ['completion', 'tools', 'vision'] },
      { name: 'blind', capabilities: ['completion', 'tools'] },
    ]);
  });

  afterEach(() => work.close());

  function sentImages(): unknown[] {
    const { messages } = work.double.requestsTo('/api/chat').at(-1)?.body as { messages: { role: string; images?: unknown[] }[] };
    return messages.flatMap(({ images }) => images ?? []);
  }

  it('are announced, sent to the model, and replayed', async () => {
    const { agentCapabilities } = await work.editor.request<InitializeResponse>('initialize', { protocolVersion: 1 });
    assert.equal(agentCapabilities?.promptCapabilities?.image, true);
    const sessionId = await work.editor.begin(work.folder);
    work.double.script.push('A square.');
    await work.editor.prompt(sessionId, 'What is it?', [image(png)]);
    assert.deepEqual(sentImages(), [png]);
    const editor = await work.restart();
    await editor.request('initialize', { protocolVersion: 1 });
    await editor.request('session/load', { sessionId, cwd: work.folder, mcpServers: [] });
    const shown = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
    assert.deepEqual(shown, [
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'What is it?' } },
      { sessionUpdate: 'user_message_chunk', content: { type: 'image', mimeType: 'image/png', data: png } },
    ]);
  });

  it('can be all of a message, and embedded as a file', async () => {
    const sessionId = await work.editor.begin(work.folder);
    work.double.script.push('A square.');
    const resource = { uri: 'file:///tmp/shot.png', mimeType: 'image/png', blob: png };
    await work.editor.prompt(sessionId, '', [{ type: 'resource', resource }]);
    assert.deepEqual(sentImages(), [png]);
  });

  it('are refused in words where they are too many, too large, or none', async () => {
    const sessionId = await work.editor.begin(work.folder);
    const large = 'A'.repeat(Math.ceil(maxImageBytes / 3) * 4 + 4);
    for (const [blocks, words] of [
      [Array.from({ length: 9 }, () => image(png)), /8 images\. It has 9/],
      [[image(large)], /Image 1 is larger than 5 MB/],
      [[image(png), image('R0lGODlhAQABAAAAACw=', 'image/gif')], /Image 2: Only PNG and JPEG/],
      [[{ type: 'audio', data: '', mimeType: 'audio/wav' }], /Audio is not supported/],
    ] as [ContentBlock[], RegExp][])
      await assert.rejects(work.editor.prompt(sessionId, 'What is it?', blocks), { code: -32602, message: words });
    assert.equal(work.double.requestsTo('/api/chat').length, 0);
    work.double.script.push('Here.');
    assert.equal((await work.editor.prompt(sessionId, 'Are you there?')).stopReason, 'end_turn');
  });

  it('say which model cannot read them', async () => {
    const sessionId = await work.editor.begin(work.folder);
    await work.editor.request('session/set_config_option', { sessionId, configId: 'model', value: 'blind:latest' });
    await assert.rejects(work.editor.prompt(sessionId, 'What is it?', [image(png)]), /blind/);
  });
});
