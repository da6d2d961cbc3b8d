import { fakeMemento } from '../../support/fakeMemento';
import assert from 'node:assert/strict';
import { ActiveSession, currentMode, selectMode } from '../../../src/views/activeSession';

describe('the mode of the active session', () => {
  it('applies until a new chat, which starts in the mode that the user selected last', async () => {
    const memento = fakeMemento() as never;
    let announced = 0;
    const active = new ActiveSession(
      memento,
      () => undefined,
      async () => void (announced += 1),
    );
    await active.showMode('edit');
    assert.equal(active.mode, 'edit');
    await active.showMode(null);
    assert.equal(active.mode, 'agent');
    await selectMode(memento, 'plan');
    await active.showMode('edit');
    assert.equal(currentMode(memento), 'edit');
    await active.showMode(null);
    assert.deepEqual([active.mode, announced], ['plan', 4]);
  });

  it('is replaced by a mode that the user selects', async () => {
    const memento = fakeMemento() as never;
    const active = new ActiveSession(
      memento,
      () => undefined,
      async () => undefined,
    );
    await active.showMode('edit');
    await selectMode(memento, 'ask');
    assert.equal(active.mode, 'ask');
  });
});
