import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { deferred } from '../../../src/agent/kernel/deferred';
import type { AttachmentRef } from '../../../src/protocol/entries';
import { systemClock } from '../../../src/utils/clock';
import { sessionHandlers } from '../../../src/views/handlers/sessionHandlers';
import { AgentBench } from '../agent/support/agentBench';

describe('whether words were sent', () => {
  let bench: AgentBench;
  beforeEach(async () => (bench = await AgentBench.start()));
  afterEach(() => bench.stop());

  const attachments = [{ kind: 'file' as const, path: 'a.txt' }];
  const words = { text: 'Why?', mode: 'ask' as const, model: 'worker', attachments };
  /** Returns handlers for which reading an attachment waits until the test allows it. */
  const begin = () => {
    const asked = deferred<void>();
    const read = async (item: AttachmentRef) => {
      await asked.promise;
      return { ...item, content: 'alpha' };
    };
    const api = sessionHandlers(bench.database, bench.controller, { read }, systemClock, () => undefined, bench.messages);
    return { api, ...asked };
  };

  it('is told when what is being sent has arrived', async () => {
    const { api, resolve } = begin();
    const since = Date.now();
    const sending = api.send({ ...words, sessionId: null });
    const told = api.wasSent({ sessionId: null, text: 'Why?', since });
    resolve();
    const { sessionId } = await sending;
    assert.deepEqual(await told, { sent: 'whole' });
    await bench.over(sessionId);
    const later = begin();
    const queueing = later.api.enqueue({ ...words, sessionId, text: 'And then?' });
    const toldLater = later.api.wasSent({ sessionId, text: 'And then?', since });
    later.resolve();
    await queueing;
    assert.deepEqual(await toldLater, { sent: 'whole' });
    await bench.over(sessionId);
  });

  it('is told when what is being sent has failed', async () => {
    const { api, reject } = begin();
    const sending = api.send({ ...words, sessionId: null });
    const told = api.wasSent({ sessionId: null, text: 'Why?', since: Date.now() });
    reject(new Error('The file a.txt no longer exists.'));
    await assert.rejects(sending);
    assert.deepEqual(await told, { sent: null });
  });
});
