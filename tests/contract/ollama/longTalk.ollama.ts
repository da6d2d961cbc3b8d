import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { RecordingProxy } from '../../support/ollama/recordingProxy';
import { RealServer, wholeModel } from '../../support/ollama/realServer';
import { AgentBench } from '../../unit/agent/support/agentBench';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');
const { baseUrl } = server;
const turns = 30;

interface Sent {
  messages: { role: string; content: string }[];
  tools?: { function: { name: string } }[];
}

describe(`A conversation of ${turns} turns on a real Ollama, in a window of 2,048 tokens`, function () {
  this.timeout(600_000);
  let bench: AgentBench;
  let proxy: RecordingProxy;

  before(async () => {
    await server.createWholeModel();
    proxy = await RecordingProxy.start(baseUrl);
    const settings = { 'agentMode.temperature': 0, 'agent.maxContextWindow': 2048 };
    bench = await AgentBench.start({ baseUrl: proxy.url, settings });
  });
  after(async () => {
    await bench.stop();
    await proxy.close();
    await server.delete(wholeModel);
  });

  it('never overflows, and knows to the end what was said first', async () => {
    const first = 'Read README.md';
    await writeFile(bench.file('README.md'), 'A small project\n');
    let sessionId: string | null = null;
    for (let turn = 0; turn < turns; turn += 1) {
      const text =
        turn === 0 ? first : ([`Read f${turn}.txt`, `Create g${turn}.txt with beta`, 'Run echo hello'][turn % 3] ?? first);
      await writeFile(bench.file(`f${turn}.txt`), `Line of file ${turn}\n`);
      const id: string = await bench.send(text, { model: wholeModel, sessionId });
      sessionId = id;
      const stop = new AbortController();
      void approveAll(id, stop.signal);
      await bench.over(id);
      stop.abort();
    }
    const log = bench.view.entries(sessionId ?? '');
    assert.deepEqual(
      log.filter(({ type }) => type === 'error').map(({ content, data }) => [content, data]),
      [],
    );
    assert.ok(log.some(({ type }) => type === 'compact_marker'));
    const sent = proxy.bodies('/api/chat') as Sent[];
    const last = sent.findLast(({ messages }) => messages.length > 0);
    const text = JSON.stringify(last?.messages);
    assert.ok(text.includes(first), text);
    assert.match(text, /Summary of the conversation so far/);
    assert.ok((last?.tools?.length ?? 0) > 0);
  });

  async function approveAll(sessionId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { data } = await bench.question(sessionId);
      if (!signal.aborted) await bench.controller.decideApproval(sessionId, data.approvalId, true).catch(() => undefined);
    }
  }
});
