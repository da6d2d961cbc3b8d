import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/until';

/** Waits until a file has this text on disk. Fails with the actual text. */
export function untilOnDisk(file: string, text: string): Promise<void> {
  return eventually(async () => assert.equal(await readFile(file, 'utf8'), text));
}
