import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { FileChanges } from '../../../../src/services/files/fileChanges';
import { noTouchListener } from '../../../../src/services/files/fileTouch';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { UnfinishedWrites } from '../../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../../src/utils/logger';
import { noEditors } from '../support/editorDoubles';

/** `editing <folder>`: changes `a.txt` again and again, and creates and moves other files, until it is killed. */
async function main(folder: string): Promise<void> {
  const notes = new UnfinishedWrites(path.join(folder, '..', 'storage'), createOwner(), silentLogger);
  const changes = new FileChanges(
    noEditors,
    {
      ...noTouchListener,
      beforeTouch: async ({ path: touched }) => {
        appendFileSync(path.join(folder, '..', 'kept'), `${path.basename(touched)}\n`);
      },
    },
    notes,
  );
  const origin = { sessionId: 's', callId: 'c', signal: new AbortController().signal, beginWriting: () => undefined };
  const at = (name: string) => ({ real: path.join(folder, name), shown: name });
  for (let round = 0; ; round += 1) {
    const letter = round % 2 === 0 ? 'b' : 'a';
    await changes.write(await changes.readText(at('a.txt')), `${letter.repeat(99)}\n`.repeat(5000), origin);
    await changes.create(at(`${round}/new.txt`), 'new\n'.repeat(5000), origin);
    await changes.rename(await changes.readFile(at(`${round}/new.txt`)), at(`${round}/moved.txt`), origin);
    process.send?.(round);
  }
}

void main(process.argv[2] ?? '');
