import { editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { WalkthroughSteps } from '../../../src/composition/contributions/walkthroughContribution';
import type { ServerServices } from '../../../src/services/model/connection/serverServices';
import type { StoredServices } from '../../../src/composition/storedServices';
import type { ModelsState } from '../../../src/protocol/webviewEvents';
import { Emitter } from '../../../src/utils/emitter';
import { ActiveSession } from '../../../src/views/activeSession';
import { fakeMemento } from '../../support/fakeMemento';
import { manifest } from '../package/manifest';

const raise = (error: unknown): never => {
  throw error;
};

describe('The steps of the walkthrough', () => {
  const memento = fakeMemento();
  const connectionChanges = new Emitter<void>(raise);
  const catalogChanges = new Emitter<Pick<ModelsState, 'selected'>>(raise);
  const runStates = new Emitter<{ sessionId: string; state: string }>(raise);
  const server = {
    connection: { state: { state: 'unknown' }, onDidChange: connectionChanges.event },
    catalog: { onDidChange: catalogChanges.event },
  };
  let steps: WalkthroughSteps;

  const active = new ActiveSession(
    memento as never,
    () => undefined,
    async () => undefined,
  );
  const ticked = (): string[] =>
    editorCalls
      .filter(({ name, args }) => name === 'executeCommand' && args[0] === 'setContext')
      .map(({ args }) => String(args[1]));

  before(() => {
    editorCalls.length = 0;
    const servers = new Emitter<ServerServices>(raise);
    const sessions = new Emitter<StoredServices>(raise);
    steps = new WalkthroughSteps({
      context: { workspaceState: memento } as never,
      onDidLoadServer: servers.event,
      onDidStartSessions: sessions.event,
    });
    servers.fire(server as never);
    sessions.fire({ controller: { onDidChangeRunState: runStates.event } } as never);
  });
  after(() => steps.dispose());

  it('are completed by what happens, once each, and by nothing before', async () => {
    connectionChanges.fire();
    catalogChanges.fire({ selected: { agent: null, ask: null } });
    assert.deepEqual(ticked(), []);
    server.connection.state.state = 'connected';
    connectionChanges.fire();
    connectionChanges.fire();
    assert.deepEqual(ticked(), ['ollamaCopilot.connected']);
    catalogChanges.fire({ selected: { agent: 'worker', ask: 'worker' } });
    assert.deepEqual(ticked().slice(1), ['ollamaCopilot.hasModel']);
    await active.showMode('ask');
    runStates.fire({ sessionId: 's', state: 'queued' });
    assert.equal(ticked().length, 2);
    runStates.fire({ sessionId: 's', state: 'running' });
    assert.deepEqual(ticked().slice(2), ['ollamaCopilot.hasAsked']);
    await active.showMode('agent');
    runStates.fire({ sessionId: 's', state: 'running' });
    assert.deepEqual(ticked().slice(3), ['ollamaCopilot.hasRunAgent']);
  });

  it('wait for these keys in the manifest', () => {
    const [{ steps: declared } = { steps: [] }] = manifest.contributes.walkthroughs;
    const keys = declared.flatMap(({ completionEvents }) => completionEvents).filter((event) => event.startsWith('onContext:'));
    assert.deepEqual(
      keys,
      ticked().map((key) => `onContext:${key}`),
    );
  });
});
