import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { createAtomically, moveAtomically, replaceAtomically } from '../../../src/services/files/atomicWrite';
import { openStorage } from '../../../src/composition/openedStorage';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { removeUnfinishedWrites, UnfinishedWrites } from '../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../src/utils/logger';
import { isTemporaryName, temporaryName } from '../../../src/utils/files/temporaryName';
import { exitOf } from '../database/processes/child';
import { until } from '../../support/until';

let root: string;
let folder: string;
let storage: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-unfinished-'));
  folder = path.join(root, 'project');
  storage = path.join(root, 'storage');
  mkdirSync(folder);
  mkdirSync(storage);
  writeFileSync(at('a.txt'), 'old');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string) => path.join(folder, name);
const names = () => readdirSync(folder).sort();
const notes = () => readdirSync(path.join(storage, 'unfinished'));
const sweep = (now = Date.now()) => removeUnfinishedWrites(storage, now, silentLogger);

const writes = () => new UnfinishedWrites(storage, createOwner(), silentLogger);
const later = () => Date.now() + 2 * 3_600_000;

/** Replaces a file system operation until `work` finishes. */
async function inPlaceOf<N extends 'link' | 'lstat' | 'rename' | 'unlink'>(
  name: N,
  instead: (file: string, really: () => Promise<unknown>) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<void> {
  const really = promises[name] as (...args: unknown[]) => Promise<unknown>;
  const step = (...args: unknown[]) => instead(String(args[name === 'link' ? 1 : 0]), () => really(...args));
  Object.assign(promises, { [name]: step });
  try {
    await work();
  } finally {
    Object.assign(promises, { [name]: really });
  }
}

/** Returns the name of the temporary file that the killed writer left. */
async function killWriter(way: 'create' | 'replace'): Promise<string> {
  const child = fork(path.join(__dirname, 'processes/stoppedWriter.js'), [storage, folder, way], { execArgv: [] });
  assert.equal(await exitOf(child), 'SIGKILL');
  const left = names().filter(isTemporaryName);
  assert.deepEqual([left.length, notes()], [1, left]);
  return left[0] ?? '';
}

describe('what a killed window left beside a file', () => {
  for (const way of ['create', 'replace'] as const) {
    it(`is removed at the next start (${way})`, async () => {
      await killWriter(way);
      const how = { directory: storage, isFresh: true, onDamage: () => undefined };
      const opened = await openStorage(how, () => ({ directory: null, workerPath: '', wasmPath: '' }), silentLogger);
      try {
        await until(() => notes().length === 0);
        assert.deepEqual(names(), ['a.txt']);
        assert.equal(readFileSync(at('a.txt'), 'utf8'), 'old');
      } finally {
        await opened.dispose();
      }
    });
  }

  it('takes no file of the person with it, however alike its name is', async () => {
    const left = await killWriter('replace');
    const mine = ['.a.txt.0123456789ab.tmp', temporaryName(), `${left}.tmp`, left.replace('.tmp', ''), 'notes.tmp'];
    for (const name of mine) writeFileSync(at(name), 'mine');
    await sweep();
    assert.deepEqual(names(), ['a.txt', ...mine].sort());
  });

  it('goes although the file itself is in place already', async () => {
    const left = await killWriter('create');
    writeFileSync(at('b.txt'), 'made since');
    await sweep();
    assert.deepEqual([names(), existsSync(at(left))], [['a.txt', 'b.txt'], false]);
  });
});

describe('a window that is killed at any step of a change', () => {
  const wholes: Record<string, string[]> = {
    create: ['a.txt: old', 'a.txt: old, b.txt: new'],
    write: ['a.txt: old', 'a.txt: new'],
    rename: ['a.txt: old', 'b.txt: old'],
  };
  for (const links of ['links', 'noLinks'])
    for (const [way, states] of Object.entries(wholes)) {
      // This case reserves no name.
      if (way === 'write' && links === 'noLinks') continue;
      it(`leaves every file as it was or as it was to be (${way}, ${links})`, async () => {
        const found = new Set<string>();
        for (let step = 0, end: unknown = 'SIGKILL'; end === 'SIGKILL'; step += 1) {
          rmSync(folder, { recursive: true });
          mkdirSync(folder);
          writeFileSync(at('a.txt'), 'old');
          const args = [storage, folder, way, links, String(step)];
          end = await exitOf(fork(path.join(__dirname, 'processes/killedAtStep.js'), args, { execArgv: [] }));
          await sweep();
          const left = names().map((name) => `${name}: ${readFileSync(at(name), 'utf8')}`);
          assert.ok(states.includes(left.join(', ')), `step ${step}: ${left.join(', ')}`);
          assert.deepEqual(existsSync(path.join(storage, 'unfinished')) ? notes() : [], [], `step ${step}`);
          found.add(left.join(', '));
        }
        assert.deepEqual([...found], states, 'killed before and after it counts');
      });
    }
});

describe('a name that a killed window took', () => {
  const claim = '6b1f1a52-6a0f-4be0-9a4f-0a3c1ad21f0a.claim';
  const put = (note: object) => {
    mkdirSync(path.join(storage, 'unfinished'), { recursive: true });
    const whole = { owner: createOwner(), path: at('b.txt'), source: at('a.txt'), ...note };
    writeFileSync(path.join(storage, 'unfinished', claim), JSON.stringify(whole));
  };
  /** Leaves an hour-old note that an empty file reserves the name. */
  async function leave(target: () => void, source = at('a.txt')): Promise<void> {
    target();
    put({ as: 'empty', source });
    await sweep(later());
    assert.deepEqual(notes(), []);
  }

  it('goes where it stands for nothing yet', async () => {
    await leave(() => writeFileSync(at('b.txt'), ''));
    assert.deepEqual(names(), ['a.txt']);
  });

  it('stays where a person could have written what is there', async () => {
    const kept: Record<string, () => void> = {
      content: () => writeFileSync(at('b.txt'), 'mine'),
      'an empty file of another time': () => {
        writeFileSync(at('b.txt'), '');
        utimesSync(at('b.txt'), new Date(), new Date(Date.now() - 60_000));
      },
      'a folder': () => mkdirSync(at('b.txt')),
      'a link': () => symlinkSync(at('a.txt'), at('b.txt')),
      'an empty file with another name': () => {
        writeFileSync(at('b.txt'), '');
        linkSync(at('b.txt'), path.join(root, 'other'));
      },
    };
    for (const [what, make] of Object.entries(kept)) {
      await leave(make);
      assert.deepEqual(names(), ['a.txt', 'b.txt'], what);
      rmSync(at('b.txt'), { recursive: true });
    }
    await leave(() => writeFileSync(at('b.txt'), ''), at('gone.txt'));
    assert.deepEqual(names(), ['a.txt', 'b.txt'], 'what was to come has come, or never will');
  });

  it('stays where somebody else was quicker to make an empty file', async () => {
    const quicker = async (): Promise<never> => {
      writeFileSync(at('b.txt'), '');
      // A process that is killed here does nothing else.
      mkdirSync(path.join(root, 'killed'));
      for (const note of notes()) linkSync(path.join(storage, 'unfinished', note), path.join(root, 'killed', note));
      throw Object.assign(new Error('taken'), { code: 'EEXIST' });
    };
    await inPlaceOf('link', quicker, () =>
      assert.rejects(moveAtomically(at('a.txt'), at('b.txt'), writes()), { code: 'EEXIST' }),
    );
    const killed = readdirSync(path.join(root, 'killed'));
    assert.equal(killed.length, 1);
    for (const note of killed) linkSync(path.join(root, 'killed', note), path.join(storage, 'unfinished', note));
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt', 'b.txt'], []]);
  });

  it('stays where the empty file is not the one that is noted', async () => {
    const noted = await writes().claim(at('b.txt'), at('a.txt'), 'empty');
    const mine = await promises.open(at('b.txt'), 'wx');
    await noted.made(await mine.stat({ bigint: true }));
    await mine.close();
    unlinkSync(at('b.txt'));
    writeFileSync(at('b.txt'), '');
    utimesSync(at('b.txt'), new Date(), new Date(Date.now() + 1));
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt', 'b.txt'], []]);
  });

  it('goes where the empty file is the one that is noted, whatever the time', async () => {
    const noted = await writes().claim(at('b.txt'), at('a.txt'), 'empty');
    const mine = await promises.open(at('b.txt'), 'wx');
    await mine.utimes(1, 1);
    await noted.made(await mine.stat({ bigint: true }));
    await mine.close();
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt'], []]);
  });

  const takes: Record<string, () => void> = {
    'an empty file': () => writeFileSync(at('b.txt'), ''),
    'a second name': () => linkSync(at('a.txt'), at('b.txt')),
  };
  for (const [what, take] of Object.entries(takes))
    it(`is not taken away from what somebody put there since it was looked at (${what})`, async () => {
      take();
      put({ as: 'empty' });
      const replacing = async (file: string, really: () => Promise<unknown>) => {
        const stats = await really();
        if (file === at('b.txt')) {
          unlinkSync(file);
          writeFileSync(file, 'mine');
        }
        return stats;
      };
      await inPlaceOf('lstat', replacing, () => sweep(later()));
      assert.deepEqual([names(), readFileSync(at('b.txt'), 'utf8'), notes()], [['a.txt', 'b.txt'], 'mine', []]);
    });

  describe('and that a start moved aside before it was killed too', () => {
    const aside = temporaryName();
    const moved = async () => {
      put({ aside });
      await sweep(later());
      return [names(), notes()];
    };

    it('goes where it is the name that was taken', async () => {
      linkSync(at('a.txt'), at(aside));
      assert.deepEqual(await moved(), [['a.txt'], []]);
    });

    it('comes back where it is not', async () => {
      writeFileSync(at(aside), 'mine');
      assert.deepEqual(await moved(), [['a.txt', 'b.txt'], []]);
      assert.equal(readFileSync(at('b.txt'), 'utf8'), 'mine');
    });

    it('comes back also where it is a folder or a link', async () => {
      for (const make of [() => mkdirSync(at(aside)), () => symlinkSync(at('a.txt'), at(aside))]) {
        make();
        assert.deepEqual(await moved(), [['a.txt', 'b.txt'], []]);
        rmSync(at('b.txt'), { recursive: true });
      }
    });

    it('goes where it is back already', async () => {
      writeFileSync(at('b.txt'), 'mine');
      linkSync(at('b.txt'), at(aside));
      assert.deepEqual(await moved(), [['a.txt', 'b.txt'], []]);
    });

    it('stays, noted, where its place is taken', async () => {
      writeFileSync(at(aside), 'mine');
      writeFileSync(at('b.txt'), 'of another');
      assert.deepEqual(await moved(), [[aside, 'a.txt', 'b.txt'], [claim]]);
      unlinkSync(at('b.txt'));
      assert.deepEqual(await moved(), [['a.txt', 'b.txt'], []]);
      assert.equal(readFileSync(at('b.txt'), 'utf8'), 'mine');
    });
  });
});

describe('a file that could not be moved', () => {
  const fails = () => Promise.reject(Object.assign(new Error('in use'), { code: 'EBUSY' }));
  const noLinks = () => Promise.reject(Object.assign(new Error('no hard links here'), { code: 'EPERM' }));
  const move = () => assert.rejects(moveAtomically(at('a.txt'), at('b.txt'), writes()), { code: 'EBUSY' });

  it('has no other name, and no note', async () => {
    await inPlaceOf('unlink', (file, really) => (file === at('a.txt') ? fails() : really()), move);
    assert.deepEqual([names(), notes()], [['a.txt'], []]);
  });

  it('loses a name that could not be taken back at a later start', async () => {
    await inPlaceOf('unlink', fails, move);
    assert.deepEqual([names(), notes().length], [['a.txt', 'b.txt'], 1]);
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt'], []]);
  });

  it('loses an empty file that could not be taken back at a later start', async () => {
    const unmoved = () => inPlaceOf('rename', fails, move);
    await inPlaceOf('link', noLinks, () => inPlaceOf('unlink', fails, unmoved));
    assert.deepEqual([names(), notes().length], [['a.txt', 'b.txt'], 1]);
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt'], []]);
  });
});

describe('a note of a write', () => {
  const deadOwner = async () => {
    await killWriter('replace');
    const note = path.join(storage, 'unfinished', notes()[0] ?? '');
    const { owner } = JSON.parse(readFileSync(note, 'utf8')) as { owner: string };
    await sweep();
    return owner;
  };
  const put = (name: string, note: unknown) =>
    writeFileSync(path.join(storage, 'unfinished', name), typeof note === 'string' ? note : JSON.stringify(note));

  it('that names another file, a folder or a link removes nothing', async () => {
    const owner = await deadOwner();
    const other = temporaryName();
    const asFolder = temporaryName();
    const asLink = temporaryName();
    mkdirSync(at(asFolder));
    symlinkSync(at('a.txt'), at(asLink));
    put(other, { owner, path: at('a.txt') });
    put(asFolder, { owner, path: at(asFolder) });
    put(asLink, { owner, path: at(asLink) });
    put('a.txt', { owner, path: at('a.txt') });
    await sweep();
    assert.deepEqual([names(), notes()], [['a.txt', asFolder, asLink].sort(), ['a.txt']]);
  });

  it('of a window that lives waits until it is old', async () => {
    const name = temporaryName();
    mkdirSync(path.join(storage, 'unfinished'));
    writeFileSync(at(name), 'new');
    put(name, { owner: createOwner(), path: at(name) });
    await sweep();
    assert.deepEqual([names(), notes()], [[name, 'a.txt'], [name]]);
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt'], []]);
  });

  it('of another machine stays where its paths mean nothing here, and goes when it is old where the file is', async () => {
    const gone = temporaryName();
    const here = temporaryName();
    const claim = 'c.claim';
    const owner = createOwner().replace(hostname().replaceAll('#', '-'), 'elsewhere');
    mkdirSync(path.join(storage, 'unfinished'));
    writeFileSync(at(here), 'new');
    linkSync(at('a.txt'), at('b.txt'));
    put(gone, { owner, path: at(gone) });
    put(here, { owner, path: at(here) });
    put(claim, { owner, path: at('b.txt'), source: at('a.txt'), as: 'link' });
    await sweep();
    assert.deepEqual(notes().sort(), [gone, here, claim].sort());
    await sweep(later());
    assert.deepEqual([names(), notes().sort()], [['a.txt', 'b.txt'], [gone, claim].sort()]);
  });

  it('of this machine goes when it is old, also where its processes were counted otherwise', async () => {
    const name = temporaryName();
    mkdirSync(path.join(storage, 'unfinished'));
    writeFileSync(at(name), 'new');
    put(name, { owner: createOwner().replace('/', '/of a container before it was started again '), path: at(name) });
    await sweep();
    assert.deepEqual(notes(), [name]);
    await sweep(later());
    assert.deepEqual([names(), notes()], [['a.txt'], []]);
  });

  for (const [what, text] of [
    ['was cut off itself', '{"owner":"'],
    ['names no file', '{"owner":"somebody"}'],
    ['names no owner', '{"path":"a.txt"}'],
  ] as const)
    it(`that ${what} goes when it is old`, async () => {
      mkdirSync(path.join(storage, 'unfinished'));
      const name = temporaryName();
      put(name, text);
      await sweep();
      assert.deepEqual(notes(), [name]);
      utimesSync(path.join(storage, 'unfinished', name), 1, 1);
      await sweep();
      assert.deepEqual(notes(), []);
    });

  it('is gone with its file when the write is over, however that ends; and without a place for it files are written all the same', async () => {
    const owner = { mode: 0o644, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    await createAtomically(at('b.txt'), Buffer.from('b'), writes());
    await assert.rejects(createAtomically(at('b.txt'), Buffer.from('c'), writes()), { code: 'EEXIST' });
    assert.equal(await replaceAtomically(at('a.txt'), Buffer.from('c'), owner, writes(), async () => false), false);
    assert.deepEqual([names(), notes()], [['a.txt', 'b.txt'], []]);
    const nowhere = new UnfinishedWrites(at('a.txt'), createOwner(), silentLogger);
    assert.equal(await replaceAtomically(at('a.txt'), Buffer.from('c'), owner, nowhere, async () => true), true);
    assert.deepEqual([names(), readFileSync(at('a.txt'), 'utf8')], [['a.txt', 'b.txt'], 'c']);
  });
});
