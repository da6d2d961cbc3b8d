import assert from 'node:assert/strict';
import type { ChatMode } from '../../../src/types/modes';
import { RecordingProxy } from '../../support/ollama/recordingProxy';
import { RealServer, wholeModel } from '../../support/ollama/realServer';
import { AgentBench } from '../../unit/agent/support/agentBench';
import { until } from '../../support/until';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');

interface Sent {
  messages: { role: string }[];
  options: { num_predict?: number };
}

describe('Reading ahead on a real Ollama', () => {
  let bench: AgentBench;
  let proxy: RecordingProxy;

  before(async () => {
    await server.createWholeModel();
    proxy = await RecordingProxy.start(server.baseUrl);
    bench = await AgentBench.start({ baseUrl: proxy.url, settings: { 'agentMode.temperature': 0 } });
  });
  after(async () => {
    await bench.stop();
    await proxy.close();
    await server.delete(wholeModel);
  });

  /**
   * Reloads the model, so that its cache is empty, and sends the requests.
   * Resolves to the time for reading the last prompt, in nanoseconds.
   */
  async function readingTime(...requests: object[]): Promise<number> {
    await server?.post('/api/chat', { model: wholeModel, messages: [], keep_alive: 0, stream: false });
    // The server responds before it has unloaded the model. Until then, a request would use the old cache.
    await until(async () => !(await server?.isLoaded(wholeModel)));
    let last = 0;
    for (const request of requests) {
      const body = { ...request, stream: false };
      last = ((await server?.post('/api/chat', body)) as { prompt_eval_duration: number }).prompt_eval_duration;
    }
    return last;
  }

  /** Sends a message and stops the run when the answer begins, because the tiny model may never end. */
  async function begun(text: string, mode: ChatMode): Promise<void> {
    const id = await bench.send(text, { model: wholeModel, mode });
    await bench.waitForActivity('answering');
    await bench.controller.stop(id);
    await bench.over(id);
  }

  it('leaves less than a third of the time to read the first message', async () => {
    await begun('Hello', 'ask');
    const read = new Promise((resolve) => bench.preparer.onDidPrepare(() => resolve(true)));
    bench.preparer.prepare({ sessionId: null, mode: 'plan', model: wholeModel, entries: [] });
    await read;
    bench.states.length = 0;
    await begun('What is here?', 'plan');
    const bodies = (proxy.bodies('/api/chat') as Sent[]).filter(({ messages }) => messages.length > 0);
    const place = bodies.findIndex(({ options }) => options.num_predict === 1);
    const ahead = bodies[place];
    const message = bodies[place + 1];
    assert.ok(ahead && message);
    const first = { ...message, options: { ...message.options, num_predict: 1 } };
    const cold = await readingTime(first);
    const warm = await readingTime(ahead, first);
    console.log(`      ${(cold / 1e6).toFixed(1)} ms without, ${(warm / 1e6).toFixed(1)} ms with it`);
    assert.ok(warm < cold / 3, `${warm} < ${cold} / 3`);
  });
});
