import assert from 'node:assert/strict';
import path from 'node:path';
import { ApiClient, findAccess } from '../../../src/cli/apiClient';
import { converse, type Conversation } from '../../../src/cli/converse';
import { hold } from '../../support/ollama/doubleReply';
import { until } from '../../support/until';
import { ApiBench } from '../api/support';

/** Client that runs a function between opening the stream and sending the message. */
class LateClient extends ApiClient {
  beforeSending: () => Promise<void> = () => Promise.resolve();

  override async call<T>(method: 'GET' | 'POST', at: string, body?: unknown): Promise<T> {
    if (/\/(?:messages|continue)$/.test(at)) await this.beforeSending();
    return super.call<T>(method, at, body);
  }
}

describe('the command waits for its own run', () => {
  let bench: ApiBench;
  let client: LateClient;
  let written: string;
  let noted: string;
  beforeEach(async () => {
    bench = await ApiBench.start();
    client = new LateClient(findAccess(path.join(bench.agent.storageFolder(), 'api.json'), {}));
    written = '';
    noted = '';
  });
  afterEach(() => bench.stop());

  const ask = (given: Partial<Conversation>) =>
    converse(
      client,
      {
        write: (text) => void (written += text),
        writeDocument: (text) => void (written += text),
        note: (text) => void (noted += text),
        fresh: () => undefined,
        size: () => ({ columns: 80, rows: 24 }),
        readInput: () => Promise.resolve(''),
        askText: null,
        environment: {},
        signal: new AbortController().signal,
        version: '1.2.3',
      },
      {
        text: 'Second',
        mode: 'ask',
        session: undefined,
        model: undefined,
        timeoutMs: undefined,
        isJson: false,
        policy: undefined,
        approvalTimeoutMs: undefined,
        ...given,
      },
    );

  it('although another run of the session ends before the message is sent', async () => {
    const held = hold();
    bench.agent.double.script.push([held.step, 'Of another run.'], 'Of this run.');
    const { sessionId, ended } = await bench.agent.controller.send({ sessionId: null, text: 'First', mode: 'ask', model: null });
    client.beforeSending = async () => {
      held.release();
      await ended;
    };
    assert.equal(await ask({ session: sessionId }), 0, noted);
    assert.equal(written, 'Of this run.\n');
  });

  it('when a run is continued behind the run of another session', async () => {
    bench.agent.double.script.push('Begun.');
    const { sessionId, ended } = await bench.agent.controller.send({
      sessionId: null,
      text: 'First',
      mode: 'agent',
      model: null,
    });
    await ended;
    const held = hold();
    bench.agent.double.script.push([held.step, 'Of another session.'], 'Continued.');
    const other = await bench.agent.controller.send({ sessionId: null, text: 'Other', mode: 'agent', model: null });
    await until(() => bench.agent.double.requestsTo('/api/chat').length === 2);
    const continued = ask({ text: null, mode: 'agent', session: sessionId });
    await until(() => noted.includes('Queued behind “Other”'));
    held.release();
    await other.ended;
    assert.equal(await continued, 0, noted);
    assert.equal(written, 'Continued.\n');
  });
});
