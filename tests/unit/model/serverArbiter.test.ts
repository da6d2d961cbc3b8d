import assert from 'node:assert/strict';
import { ServerArbiter } from '../../../src/services/model/serverArbiter';

describe('who yields to whom on the server', () => {
  const none = () => Promise.resolve(null);
  const works = ['suggestion', 'workspaceIndex', 'messageIndex', 'title'] as const;
  const yielding = (arbiter: ServerArbiter) => works.filter((work) => arbiter.mustWait(work));

  it('is nobody while nothing is under way', () => {
    assert.deepEqual(yielding(new ServerArbiter()), []);
  });

  it('is everybody to a chat, a suggestion only to one with its model', async () => {
    const arbiter = new ServerArbiter();
    arbiter.trackRun({ sessionId: 'a', state: 'running' }, () => Promise.resolve('coder:latest'));
    await Promise.resolve();
    assert.deepEqual(yielding(arbiter), works);
    assert.deepEqual(
      ['coder', 'other'].map((model) => arbiter.mustWait('suggestion', model)),
      [true, false],
    );
    arbiter.trackRun({ sessionId: 'a', state: 'idle' }, none);
    assert.deepEqual(yielding(arbiter), []);
  });

  it('is a title alone to a chat that waits for its turn', () => {
    const arbiter = new ServerArbiter();
    arbiter.trackRun({ sessionId: 'a', state: 'queued' }, none);
    assert.deepEqual(yielding(arbiter), ['title']);
    arbiter.forgetChats();
    assert.deepEqual(yielding(arbiter), []);
  });

  it('are both indexes to a suggestion, and one index to the other', () => {
    const arbiter = new ServerArbiter();
    const ends = [arbiter.begin('suggestion'), arbiter.begin('suggestion')];
    assert.deepEqual(yielding(arbiter), ['workspaceIndex', 'messageIndex']);
    ends[0]?.();
    ends[0]?.();
    assert.deepEqual(yielding(arbiter), ['workspaceIndex', 'messageIndex'], 'the second one is still under way');
    ends[1]?.();
    const end = arbiter.begin('workspaceIndex');
    assert.deepEqual(yielding(arbiter), ['messageIndex']);
    end();
    arbiter.begin('messageIndex');
    assert.deepEqual(yielding(arbiter), ['workspaceIndex']);
  });

  it('ends what gives up when a chat begins', () => {
    const arbiter = new ServerArbiter();
    const before = arbiter.nextChatSignal;
    arbiter.trackRun({ sessionId: 'a', state: 'running' }, () => Promise.reject(new Error('gone')));
    assert.deepEqual([before.aborted, arbiter.nextChatSignal.aborted], [true, false]);
  });
});
