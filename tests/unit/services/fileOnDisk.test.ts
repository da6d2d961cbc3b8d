import assert from 'node:assert/strict';
import { chmodSync, linkSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FilesOnDisk } from '../../../src/services/files/fileOnDisk';
import { noEditors } from '../agent/support/editorDoubles';

describe('A file that an undo brings back', () => {
  let folder: string;
  beforeEach(() => (folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-undo-')))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('leaves its other names as they are, also where only its mode changes', async () => {
    const file = path.join(folder, 'a');
    const other = path.join(folder, 'b');
    writeFileSync(file, 'text');
    chmodSync(file, 0o644);
    linkSync(file, other);
    const files = new FilesOnDisk(noEditors);
    await files.bringToMode(await files.read(file, 'a'), 0o755);
    const seen = [file, other].map((one) => [statSync(one).mode & 0o777, statSync(one).nlink, readFileSync(one, 'utf8')]);
    assert.deepEqual(seen, [
      [0o755, 1, 'text'],
      [0o644, 1, 'text'],
    ]);
    const { ino } = statSync(file);
    await files.bringToMode(await files.read(file, 'a'), 0o600);
    assert.deepEqual([statSync(file).mode & 0o777, statSync(file).ino], [0o600, ino]);
  });
});
