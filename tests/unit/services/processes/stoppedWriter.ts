import path from 'node:path';
import { createAtomically, replaceAtomically } from '../../../../src/services/files/atomicWrite';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { UnfinishedWrites } from '../../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../../src/utils/logger';

/**
 * Usage: `stoppedWriter <storage> <folder> create|replace`. Kills itself
 * after the new content is written next to the file, before anything else.
 */
async function main([storage = '', folder = '', way = '']: string[]): Promise<void> {
  const notes = new UnfinishedWrites(storage, createOwner(), silentLogger);
  const die = () => process.kill(process.pid, 'SIGKILL');
  const file = path.join(folder, 'a.txt');
  const content = Buffer.from('new');
  if (way === 'create') await createAtomically(path.join(folder, 'b.txt'), content, notes, die);
  else await replaceAtomically(file, content, { mode: 0o644, uid: 0, gid: 0 }, notes, () => Promise.resolve(die()));
}

void main(process.argv.slice(2));
