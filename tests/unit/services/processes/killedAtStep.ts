import promises, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { FileChanges } from '../../../../src/services/files/fileChanges';
import { noTouchListener } from '../../../../src/services/files/fileTouch';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { UnfinishedWrites } from '../../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../../src/utils/logger';
import { noEditors } from '../../agent/support/editorDoubles';

const stepping = ['link', 'open', 'rename', 'unlink', 'writeFile', 'appendFile', 'rm', 'mkdir', 'chmod'] as const;
type Changing = Record<(typeof stepping)[number], (...args: unknown[]) => Promise<unknown>>;

/** Kills this process instead of performing the given disk operation. Operations are counted from 0. */
function dieAt(step: number, hasLinks: boolean): void {
  let done = 0;
  const inPlaceOf = <T>(work: () => Promise<T>): Promise<T> => {
    if (done === step) process.kill(process.pid, 'SIGKILL');
    done += 1;
    return work();
  };
  const files = promises as unknown as Changing;
  for (const name of stepping) {
    const really = files[name].bind(promises);
    files[name] = (...args) => inPlaceOf(() => really(...args));
  }
  const open = files.open;
  files.open = async (...args) => {
    const handle = (await open(...args)) as FileHandle & Record<'writeFile' | 'sync' | 'close', () => Promise<void>>;
    for (const name of ['writeFile', 'sync', 'close'] as const) {
      const really = handle[name].bind(handle) as (...given: unknown[]) => Promise<void>;
      handle[name] = (...given: unknown[]) => inPlaceOf(() => really(...given));
    }
    return handle;
  };
  if (!hasLinks) files.link = () => Promise.reject(Object.assign(new Error('no hard links here'), { code: 'EPERM' }));
}

/** Usage: `killedAtStep <storage> <folder> create|write|rename links|noLinks <step>`. Exits normally if there are fewer steps. */
async function main([storage = '', folder = '', way = '', links = '', step = '']: string[]): Promise<void> {
  const changes = new FileChanges(noEditors, noTouchListener, new UnfinishedWrites(storage, createOwner(), silentLogger));
  const origin = { sessionId: 's', callId: 'c', signal: new AbortController().signal, beginWriting: () => undefined };
  const at = (name: string) => ({ real: path.join(folder, name), shown: name });
  const file = await changes.readText(at('a.txt'));
  dieAt(Number(step), links === 'links');
  if (way === 'create') await changes.create(at('b.txt'), 'new', origin);
  else if (way === 'write') await changes.write(file, 'new', origin);
  else await changes.rename(file, at('b.txt'), origin);
}

void main(process.argv.slice(2));
