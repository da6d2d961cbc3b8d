import { editorCalls } from '../../support/fakeEditor';
import { fakeMemento } from '../../support/fakeMemento';
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { WindowServices } from '../../../src/composition/contribution';
import { firstLookContribution } from '../../../src/composition/contributions/firstLookContribution';

describe('the first window with the extension', () => {
  const warnings: unknown[] = [];
  const start = async (globalState = fakeMemento()) => {
    editorCalls.length = 0;
    const context = { globalState, workspaceState: fakeMemento() };
    const logger = { warn: (...args: unknown[]) => warnings.push(args) };
    firstLookContribution.start({ context, logger } as unknown as WindowServices);
    await setImmediate();
    return editorCalls.map(({ args }) => args);
  };
  beforeEach(() => (warnings.length = 0));

  it('opens the chat, leaves the cursor where it is, and never does so again', async () => {
    const machine = fakeMemento();
    assert.deepEqual(await start(machine), [['ollamaCopilot.chatView.focus', { preserveFocus: true }]]);
    assert.deepEqual(await start(machine), []);
  });

  it('opens nothing where it cannot be noted, as every window would open it then', async () => {
    assert.deepEqual(await start(fakeMemento(new Error('read-only'))), []);
    assert.equal(warnings.length, 1);
  });
});
