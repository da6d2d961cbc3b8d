import assert from 'node:assert/strict';
import { claimStorage, shareStorage } from '../../../src/services/database/sqlite/storageLease';
import { StorageError } from '../../../src/services/database/sqlite/storageError';
import { Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('the lease of a storage', () => {
  it('tells who takes it first that nobody else has it, and keeps it', async () => {
    const directory = bench.folder();
    let told = 0;
    const lease = shareStorage(directory, () => (told += 1));
    try {
      assert.equal(told, 1);
      assert.throws(() => claimStorage(directory), isLocked);
    } finally {
      await lease.dispose();
    }
  });

  it('tells nobody so while another has it; that one and this one keep it', async () => {
    const directory = bench.folder();
    const first = shareStorage(directory);
    const second = shareStorage(directory, () => assert.fail('not alone'));
    await first.dispose();
    assert.throws(() => claimStorage(directory), isLocked);
    await second.dispose();
    await claimStorage(directory).dispose();
  });

  it('is refused while another has the storage to itself', async () => {
    const directory = bench.folder();
    const claim = claimStorage(directory);
    assert.throws(() => shareStorage(directory, () => assert.fail('not alone')), isLocked);
    await claim.dispose();
    await shareStorage(directory).dispose();
  });
});

function isLocked(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'locked';
}
