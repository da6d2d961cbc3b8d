import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { removeUnfinishedWrites } from '../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../src/utils/logger';

describe('a window that is killed while the agent edits', () => {
  for (const delay of [0, 1, 2, 3, 5, 8, 13, 21]) {
    it(`leaves every file as it was or as it was to be (after ${delay} ms more)`, async () => {
      const root = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-killed-'));
      const folder = path.join(root, 'project');
      try {
        await mkdir(folder);
        await writeFile(path.join(folder, 'a.txt'), `${'a'.repeat(99)}\n`.repeat(5000));
        const child = fork(path.join(__dirname, 'processes/editing.js'), [folder], { execArgv: [] });
        await once(child, 'message');
        await wait(delay);
        child.kill('SIGKILL');
        await once(child, 'exit');

        await removeUnfinishedWrites(path.join(root, 'storage'), Date.now(), silentLogger);
        const kept = (await readFile(path.join(root, 'kept'), 'utf8')).split('\n');
        for (const one of await readdir(folder, { recursive: true, withFileTypes: true })) {
          if (!one.isFile()) continue;
          const content = await readFile(path.join(one.parentPath, one.name), 'utf8');
          const whole = one.name === 'a.txt' ? /^(?:(?:a{99}\n){5000}|(?:b{99}\n){5000})$/ : /^(?:new\n){5000}$/;
          assert.match(content, whole, one.name);
          assert.ok(kept.includes(one.name), `what ${one.name} was is kept`);
        }
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    });
  }
});

describe('a host that is killed while it edits a file that is open', () => {
  const held = `${'a'.repeat(99)}\n`.repeat(50);

  /** Runs the host until it requests the edit from the editor. Returns the requested text. */
  async function untilAsked(root: string): Promise<{ child: ReturnType<typeof fork>; text: string }> {
    await mkdir(path.join(root, 'project'));
    await writeFile(path.join(root, 'project', 'a.txt'), 'on the disk\n');
    const child = fork(path.join(__dirname, 'processes/editingInEditor.js'), [path.join(root, 'project'), held], {
      execArgv: [],
    });
    const [text] = (await once(child, 'message')) as [string];
    return { child, text };
  }

  for (const isSaved of [false, true]) {
    it(`leaves it ${isSaved ? 'as it was to be' : 'as it was'} where the editor ${isSaved ? 'has' : 'had not'} heard of it, unsaved text kept`, async () => {
      const root = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-killed-'));
      try {
        const { child, text } = await untilAsked(root);
        child.kill('SIGKILL');
        await once(child, 'exit');
        // The editor is another process and completes the request after the host was killed.
        if (isSaved) await writeFile(path.join(root, 'project', 'a.txt'), text);
        await removeUnfinishedWrites(path.join(root, 'storage'), Date.now(), silentLogger);
        const content = await readFile(path.join(root, 'project', 'a.txt'), 'utf8');
        assert.equal(content, isSaved ? held.replaceAll('a', 'b') : 'on the disk\n');
        assert.equal(await readFile(path.join(root, 'kept'), 'utf8'), held);
        assert.deepEqual(await readdir(path.join(root, 'project')), ['a.txt']);
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    });
  }
});
