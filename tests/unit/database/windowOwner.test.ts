import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAlive } from '../../../src/services/database/sessions/heartbeat';
import { createOwner, isKnownDead } from '../../../src/services/database/sessions/windowOwner';

/** Returns the owner id of a process that has exited. */
async function ownerOfEndedProcess(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return createOwner().replace(`#${process.pid}#`, `#${child.pid}#`);
}

describe('The owner of a session', () => {
  it('is different for each window, and not dead while its process lives', () => {
    const owner = createOwner();
    assert.notEqual(owner, createOwner());
    assert.equal(isKnownDead(owner), false);
  });

  it('is known to be dead when its process has ended, however young its heartbeat', async () => {
    const owner = await ownerOfEndedProcess();
    assert.equal(isKnownDead(owner), true);
    assert.equal(isAlive({ owner, heartbeat_at: 1000 }, 1000), false);
  });

  it('is not judged by its process number on another machine', async () => {
    const owner = `elsewhere${await ownerOfEndedProcess()}`;
    assert.equal(isKnownDead(owner), false);
    assert.equal(isAlive({ owner, heartbeat_at: 1000 }, 1000), true);
    assert.equal(isAlive({ owner, heartbeat_at: 1000 }, 16_000), false);
  });

  it('is never known to be dead when it has no such form', () => {
    assert.deepEqual(['window', '', 'a#b#c', 'a#0#c', 'a#-1#c'].map(isKnownDead), [false, false, false, false, false]);
  });
});
