import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { SlicedWriter } from '../../../src/api/events/slicedWriter';

/** Socket that records its input and can be slow. */
class Socket extends Writable {
  readonly texts: string[] = [];
  private readonly done: (() => void)[] = [];

  constructor(
    private readonly busyMs = 0,
    private readonly isSlow = false,
  ) {
    super({ decodeStrings: false, highWaterMark: 100 });
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.texts.push(text);
    const end = performance.now() + this.busyMs;
    while (performance.now() < end);
    if (this.isSlow) this.done.push(done);
    else done();
  }

  release(): void {
    for (const done of this.done.splice(0)) done();
  }
}

describe('writing events to many clients', () => {
  it('makes the lines of one turn one write, in order', async () => {
    const socket = new Socket();
    const sink = new SlicedWriter().createSink(socket);
    for (const text of ['a', 'b', 'c']) assert.equal(sink.write(text), true);
    assert.deepEqual(socket.texts, []);
    await turn();
    assert.deepEqual(socket.texts, ['abc']);
  });

  it('lets others have their turn between clients that take long', async () => {
    const writer = new SlicedWriter();
    const sockets = Array.from({ length: 20 }, () => new Socket(2));
    for (const socket of sockets) writer.createSink(socket).write('x');
    let turns = 0;
    while (sockets.some(({ texts }) => texts.length === 0)) {
      await turn();
      turns += 1;
    }
    assert.ok(turns >= 4, `${turns} turns`);
  });

  it('tells when a client is full, and when it has room again', async () => {
    const socket = new Socket(0, true);
    const sink = new SlicedWriter().createSink(socket);
    let rooms = 0;
    sink.onDrain(() => (rooms += 1));
    assert.equal(sink.write('x'.repeat(70_000)), false);
    await turn();
    assert.equal(rooms, 0);
    socket.release();
    await turn();
    assert.equal(rooms, 1);
    assert.equal(sink.write('y'), true);
  });

  it('keeps nothing for a client that is gone', async () => {
    const socket = new Socket();
    const sink = new SlicedWriter().createSink(socket);
    sink.write('x');
    socket.destroy();
    await turn();
    await turn();
    assert.deepEqual(socket.texts, []);
  });
});
