import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readJsonLines, type JsonLine } from '../../../src/services/import/jsonLines';

describe('Lines of JSON', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-lines-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function read(content: string | Buffer, maxBytes?: number): JsonLine[] {
    const file = path.join(folder, 'lines.jsonl');
    writeFileSync(file, content);
    return [...readJsonLines(file, () => undefined, maxBytes)];
  }

  it('are numbered as an editor numbers them, whatever ends them', () => {
    assert.deepEqual(read('1\n\n2\r\n  \n3'), [
      { number: 1, value: 1 },
      { number: 3, value: 2 },
      { number: 5, value: 3 },
    ]);
    assert.deepEqual(read(''), []);
  });

  it('are whole where they are longer than what is read at once', () => {
    const long = 'ä'.repeat(1_500_000);
    assert.deepEqual(read(`1\n"${long}"\n2\n`), [
      { number: 1, value: 1 },
      { number: 2, value: long },
      { number: 3, value: 2 },
    ]);
  });

  it('say why they have no value, and do not hide the ones after them', () => {
    assert.deepEqual(
      read(Buffer.concat([Buffer.from('{\n"'), Buffer.from([0xc3, 0x28]), Buffer.from(`"\n"${'x'.repeat(50)}"\n4`)]), 40),
      [
        { number: 1, problem: 'notJson' },
        { number: 2, problem: 'notUtf8' },
        { number: 3, problem: 'tooLong' },
        { number: 4, value: 4 },
      ],
    );
  });
});
