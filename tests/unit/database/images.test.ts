import assert from 'node:assert/strict';
import { maxImageBytes, type ImageRef } from '../../../src/protocol/context/imageRef';
import type { EntryInput } from '../../../src/protocol/entries';
import { AppError } from '../../../src/utils/errors';
import { png } from '../../support/images';
import { Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const message = (...images: ImageRef[]): EntryInput => ({
  type: 'user_input',
  content: 'Look',
  data: { mode: 'ask', attachments: images.map((image) => ({ kind: 'image', path: 'a.png', image })) },
});
const result = (image: ImageRef): EntryInput => ({
  type: 'tool_result',
  content: '',
  data: { callId: 'c', name: 'shot', status: 'success', images: [image] },
});

describe('Images', () => {
  it('are kept once each, and are there again after a restart', async () => {
    const directory = bench.folder();
    const first = await bench.service(directory);
    const kept = await first.images.keep(png(3, 2));
    assert.deepEqual([kept.type, kept.width, kept.height], ['image/png', 3, 2]);
    assert.deepEqual(await first.images.keep(png(3, 2)), kept);
    const second = await bench.service(directory);
    assert.deepEqual(Buffer.from((await second.images.read(kept.hash)) ?? []), png(3, 2));
    assert.equal(await second.images.read('0'.repeat(64)), null);
  });

  it('go with the last conversation that has them, and stay for another', async () => {
    const { images, sessions, log } = await bench.service(bench.folder());
    const shared = await images.keep(png(1, 1));
    const own = await images.keep(png(1, 2));
    const fromTool = await images.keep(png(1, 3));
    const input = { mode: 'ask' as const, model: null, title: '', projectPath: null };
    const one = await sessions.create(input);
    const other = await sessions.create(input);
    await log.appendAll(one.id, [message(shared, own), result(fromTool)]);
    await log.append(other.id, message(shared));
    await sessions.delete(one.id);
    const there = await Promise.all([shared, own, fromTool].map(async ({ hash }) => (await images.read(hash)) !== null));
    assert.deepEqual(there, [true, false, false]);
    await sessions.delete(other.id);
    assert.equal(await images.read(shared.hash), null);
  });

  it('that are none, or too large, are refused with words', async () => {
    const { images } = await bench.service(bench.folder());
    const told = (words: RegExp) => (error: unknown) => error instanceof AppError && words.test(error.userMessage);
    await assert.rejects(images.keep(Buffer.from('<svg/>')), told(/PNG and JPEG/));
    const large = Buffer.concat([png(1, 1), Buffer.alloc(maxImageBytes)]);
    await assert.rejects(images.keep(large), told(/larger than 5 MB/));
  });
});
