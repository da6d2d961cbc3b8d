import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkpointedFolders, realHome } from '../../../src/services/checkpoint/host/checkpointedFolders';
import { leaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { makeStorage } from '../../support/storageFolder';

describe('checkpointedFolders', () => {
  let base: string;
  let home: string;
  let project: string;
  const before = { HOME: process.env.HOME, USERPROFILE: process.env.USERPROFILE };
  beforeEach(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), 'folders-')));
    home = path.join(base, 'home', 'person');
    project = path.join(home, 'project');
    mkdirSync(project, { recursive: true });
  });
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(base, { recursive: true });
  });

  const of = (...folders: string[]) => {
    const { roots, leftOut } = checkpointedFolders(
      folders.map((folder) => ({ path: folder })),
      home,
    );
    return [roots, leftOut.map(({ problem }) => problem)];
  };

  it('are all but a home folder and what holds it, also beside a project in it', () => {
    const others = [project, path.join(home, '..project'), path.join(base, 'home', 'person2')];
    assert.deepEqual(of(...others), [others, []]);
    assert.deepEqual(of(project, home), [[project], ['home']]);
    assert.deepEqual(of(path.dirname(home), path.parse(home).root), [[], ['home', 'home']]);
  });

  it('are known by where the home folder is, whatever link leads to it', () => {
    const link = path.join(base, 'link');
    symlinkSync(home, link);
    process.env.HOME = process.env.USERPROFILE = link;
    assert.equal(realHome(), home);
    process.env.HOME = process.env.USERPROFILE = path.join(base, 'gone');
    assert.equal(realHome(), path.join(base, 'gone'));
  });

  it('are none that hold a storage of ours, until it is moved as the message says', () => {
    makeStorage(project);
    assert.deepEqual(of(project), [[], ['storage']]);
    for (const name of ['sessions.sqlite', leaseFileName]) renameSync(path.join(project, name), path.join(base, name));
    assert.deepEqual(of(project), [[project], []]);
  });
});
