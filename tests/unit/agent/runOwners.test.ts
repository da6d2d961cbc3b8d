import assert from 'node:assert/strict';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

describe('a run of a session', () => {
  let bench: AgentBench;

  beforeEach(async () => (bench = await AgentBench.start()));
  afterEach(() => bench.stop());

  const message = <T extends string | null>(sessionId: T, text: string) =>
    ({ sessionId, text, mode: 'ask', model: 'worker' }) as const;

  const stopped = ['you: One', 'text (stopped): Half of', '= stopped'];

  /** Starts a run whose answer never ends. */
  async function endless(): Promise<{ sessionId: string; ended: Promise<string> }> {
    bench.double.script.push(['Half of', hold().step]);
    const run = await bench.controller.send(message(null, 'One'));
    await bench.view.waitFor(run.sessionId, (entry) => entry.type === 'assistant_output' && entry.content === 'Half of');
    return run;
  }

  it('is reported with its own outcome to the caller that began it', async () => {
    const first = await endless();
    await bench.controller.stop(first.sessionId);
    const second = await bench.controller.send(message(first.sessionId, 'Two'));
    assert.deepEqual([await first.ended, await second.ended], ['stopped', 'done']);
  });

  it('is over when its outcome is reported, so that the next message is accepted', async () => {
    const { sessionId, ended } = await bench.controller.send(message(null, 'One'));
    await ended;
    for (const text of ['Two', 'Three', 'Four', 'Five']) await (await bench.controller.send(message(sessionId, text))).ended;
    assert.equal((await bench.seen(sessionId)).filter((line) => line === '= done').length, 5);
  });

  it('is not stopped by a Stop of the run before', async () => {
    const { sessionId } = await endless();
    const begun = new Promise<string>((resolve, reject) => {
      const listener = bench.controller.onDidChangeRunState(({ state }) => {
        if (state !== 'idle') return;
        void listener.dispose();
        bench.controller.send(message(sessionId, 'Two')).then(({ ended }) => ended.then(resolve), reject);
      });
    });
    await bench.controller.stop(sessionId);
    assert.equal(await begun, 'done');
    assert.deepEqual(await bench.seen(sessionId), [...stopped, 'you: Two', 'text (complete): OK', '= done']);
  });

  it('answers a message that is queued while the run before is being stopped', async () => {
    const { sessionId } = await endless();
    const stopping = bench.controller.stop(sessionId);
    const queueing = bench.controller.enqueue(message(sessionId, 'Two'));
    await Promise.all([stopping, queueing]);
    await bench.over(sessionId);
    assert.deepEqual(await bench.seen(sessionId), [...stopped, 'you: Two', 'text (complete): OK', '= done']);
    assert.deepEqual(await bench.database.queued.list(sessionId), []);
  });

  it('leaves messages in the queue that were queued before it was stopped', async () => {
    const { sessionId } = await endless();
    await bench.controller.enqueue(message(sessionId, 'Two'));
    await Promise.all([bench.controller.stop(sessionId), bench.controller.stop(sessionId)]);
    assert.deepEqual(await bench.seen(sessionId), stopped);
    assert.equal((await bench.database.queued.list(sessionId)).length, 1);
  });
});
