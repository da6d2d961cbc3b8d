import { createCipheriv } from 'node:crypto';
import { runSeed } from '../../../support/rounds';

/** Returns a generator of incompressible bytes. The sequence depends only on the seed of the run. */
export function seededBytes(): (count: number) => Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(runSeed());
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (count) => cipher.update(Buffer.alloc(count));
}
