import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { foregroundGroup } from '../../../src/services/terminal/run/terminalProcesses';

describe('what runs in a terminal', () => {
  const { PATH } = process.env;
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-ps-'))));
  afterEach(async () => {
    process.env['PATH'] = PATH;
    Object.defineProperty(process, 'platform', platform);
    await rm(folder, { recursive: true });
  });

  it('is asked of no program that PATH leads to', async () => {
    const owned = path.join(folder, 'owned');
    await writeFile(path.join(folder, 'ps'), `#!/bin/sh\necho > '${owned}'\necho 4242\n`, { mode: 0o755 });
    process.env['PATH'] = `${folder}${path.delimiter}${PATH}`;
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    assert.notEqual(await foregroundGroup(process.pid), 4242);
    assert.equal(existsSync(owned), false);
  });
});
