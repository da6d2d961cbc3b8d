import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { HostApi } from '../../../src/protocol/hostApi';
import { connectHost, connectView, type Channel } from '../../../src/protocol/rpc';
import type { ViewEvents } from '../../../src/protocol/webviewEvents';

/** Returns two connected channels that serialize messages as JSON, like the editor. */
function channelPair(): [Channel, Channel, { toHost(message: unknown): void; toView(message: unknown): void }] {
  let hostListener: (message: unknown) => void = () => undefined;
  let viewListener: (message: unknown) => void = () => undefined;
  const copy = (message: unknown): unknown => JSON.parse(JSON.stringify(message));
  const toHost = (message: unknown) => setImmediate(() => hostListener(copy(message)));
  const toView = (message: unknown) => setImmediate(() => viewListener(copy(message)));
  return [
    { post: toView, onMessage: (listener) => (hostListener = listener) },
    { post: toHost, onMessage: (listener) => (viewListener = listener) },
    { toHost, toView },
  ];
}

function connected(api: Partial<HostApi>) {
  const [hostEnd, viewEnd, wire] = channelPair();
  const problems: string[] = [];
  const heard: [string, unknown][] = [];
  const handler =
    <K extends keyof ViewEvents>(name: K) =>
    (value: ViewEvents[K]) =>
      void heard.push([name, value]);
  const handlers = {
    log: handler('log'),
    runState: handler('runState'),
    models: handler('models'),
    pulls: handler('pulls'),
    fit: handler('fit'),
    modelTested: handler('modelTested'),
    connection: handler('connection'),
    context: handler('context'),
    storage: handler('storage'),
    problem: handler('problem'),
    settings: handler('settings'),
    queue: handler('queue'),
    workSession: () => undefined,
    restore: () => undefined,
    changes: handler('changes'),
    reviewPosition: handler('reviewPosition'),
    background: handler('background'),
    commandOutput: handler('commandOutput'),
    grants: handler('grants'),
    mcp: handler('mcp'),
    sessionsChanged: handler('sessionsChanged'),
    navigate: handler('navigate'),
    attach: handler('attach'),
    ask: handler('ask'),
    inEditor: handler('inEditor'),
    workspace: handler('workspace'),
    focusComposer: handler('focusComposer'),
  };
  const port = connectHost(hostEnd, api as HostApi, (problem) => problems.push(`host: ${problem}`));
  const host = connectView(viewEnd, handlers, (problem) => problems.push(`view: ${problem}`));
  return { port, host, wire, problems, heard };
}

async function settle(): Promise<void> {
  for (let index = 0; index < 10; index += 1) await turn();
}

describe('rpc', () => {
  it('answers a request with what the host returns', async () => {
    const { host } = connected({ send: async ({ text }) => Promise.resolve({ sessionId: `for ${text}` }) });
    assert.deepEqual(await host.send({ sessionId: null, text: 'Grüße 🙂', mode: 'ask', model: null }), {
      sessionId: 'for Grüße 🙂',
    });
  });

  it('carries the words of a failure to the view', async () => {
    const { host } = connected({ stop: async () => Promise.reject(new Error('Nothing runs here.')) });
    await assert.rejects(host.stop({ sessionId: 's' }), (error) => String(error).includes('Nothing runs here.'));
  });

  it('refuses a request with malformed parameters and never calls the host', async () => {
    let called = false;
    const { host, problems } = connected({
      send: async () => {
        called = true;
        return Promise.resolve({ sessionId: 's' });
      },
    });
    await assert.rejects(host.send({ sessionId: null, text: '', mode: 'ask', model: null }));
    assert.equal(called, false);
    assert.equal(
      problems.some((problem) => problem.startsWith('host: Request "send" has malformed parameters')),
      true,
    );
  });

  it('refuses an answer that does not fit its declaration', async () => {
    const { host, problems } = connected({ send: async () => Promise.resolve({ sessionId: 7 } as never) });
    await assert.rejects(host.send({ sessionId: null, text: 'x', mode: 'ask', model: null }));
    assert.equal(problems.length, 1);
  });

  it('delivers events, and drops malformed, undeclared and shapeless messages with a report', async () => {
    const { port, wire, problems, heard } = connected({});
    port.emit('sessionsChanged', { sessionId: 's' });
    port.emit('log', { kind: 'delta', sessionId: 's', seq: 1 } as never);
    wire.toView({ t: 'q', m: 'dropTables', a: [{}] });
    wire.toView('hello');
    wire.toHost({ t: 'q', m: 'constructor', a: [] });
    wire.toHost(null);
    await settle();
    assert.deepEqual(heard, [['sessionsChanged', { sessionId: 's' }]]);
    assert.equal(problems.length, 5);
  });
});
