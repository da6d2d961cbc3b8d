import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { AgentBench } from '../agent/support/agentBench';

const tools: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 };

describe('An undo of a file in whose place, or in the place of whose folder, is a link by now', () => {
  let bench: AgentBench;
  let outside: string;
  let sessionId: string;

  beforeEach(async () => {
    bench = await AgentBench.start({ models: [tools] });
    outside = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-outside-')));
    mkdirSync(bench.file('d'));
    writeFileSync(bench.file('d/x'), 'before');
    const changes = [
      { call: { name: 'write_file', arguments: { path: 'd/x', content: 'after' } } },
      { call: { name: 'create_file', arguments: { path: 'd/new', content: 'new' } } },
    ];
    bench.double.script.push(...changes.map((one) => [one]), 'Done.');
    sessionId = await bench.ask('Do it', { sessionId: null });
    assert.equal(readFileSync(bench.file('d/x'), 'utf8'), 'after');
  });

  afterEach(async () => {
    await bench.stop();
    rmSync(outside, { recursive: true });
  });

  for (const content of ['before', 'after']) {
    it(`changes nothing behind the link, and does not tell that it was undone (${content})`, async () => {
      for (const [name, text] of [
        ['x', content],
        ['new', 'new'],
      ] as const)
        writeFileSync(path.join(outside, name), text);
      renameSync(bench.file('d'), bench.file('moved'));
      symlinkSync(outside, bench.file('d'));
      const { undone, left } = await bench.changes.undo(sessionId, null);
      assert.deepEqual([undone, left.map(({ shown }) => shown).sort()], [[], ['d/new', 'd/x']]);
      assert.deepEqual(
        ['x', 'new'].map((name) => readFileSync(path.join(outside, name), 'utf8')),
        [content, 'new'],
      );
      assert.equal(readFileSync(bench.file('moved/x'), 'utf8'), 'after');
    });
  }

  for (const target of ['itself', 'elsewhere']) {
    it(`leaves a link to ${target} in the place of the folder`, async () => {
      rmSync(bench.file('d'), { recursive: true });
      symlinkSync(target === 'itself' ? 'd' : 'elsewhere', bench.file('d'));
      const { undone, left } = await bench.changes.undo(sessionId, null);
      assert.deepEqual([undone, left.length], [[], 2]);
      assert.ok(lstatSync(bench.file('d')).isSymbolicLink());
    });
  }

  it('leaves a link in the place of the file, and what it leads to', async () => {
    writeFileSync(path.join(outside, 'x'), 'before');
    rmSync(bench.file('d/x'));
    symlinkSync(path.join(outside, 'x'), bench.file('d/x'));
    const { undone, left } = await bench.changes.undo(sessionId, null);
    assert.deepEqual([undone, left.map(({ shown }) => shown)], [['d/new'], ['d/x']]);
    assert.ok(lstatSync(bench.file('d/x')).isSymbolicLink());
  });
});
