import assert from 'node:assert/strict';
import { silentLogger } from '../../../src/utils/logger';
import { ChangeFeed } from '../../../src/views/feeds/changeFeed';
import { AgentBench } from '../agent/support/agentBench';

const call = (name: string, input: Record<string, unknown>) => ({ call: { name, arguments: input } });
const create = (file: string, content: string) => [call('create_file', { path: file, content })];

describe('The feed of changed files', () => {
  let bench: AgentBench;
  let feed: ChangeFeed;
  let shown: string | null;
  const told: string[] = [];
  const waiting: (() => void)[] = [];

  beforeEach(async () => {
    bench = await AgentBench.start({ settings: { 'agent.maxActiveSessions': 2 } });
    shown = null;
    told.length = 0;
    const view = {
      emit: (name: string, event: unknown) => {
        const { sessionId, files } = event as { sessionId: string; files?: { shown: string }[] };
        told.push([name, sessionId === shown ? 'shown' : 'other', ...(files ?? []).map((file) => file.shown)].join(' '));
        for (const look of waiting.splice(0)) look();
      },
    };
    feed = new ChangeFeed(
      bench.changes,
      () => shown,
      view,
      silentLogger,
      () => undefined,
    );
    bench.changes.onDidChange(({ sessionId }) => feed.refresh(sessionId));
  });
  afterEach(async () => {
    feed.dispose();
    await bench.stop();
  });

  async function untilTold(line: string): Promise<void> {
    while (!told.includes(line)) await new Promise<void>((resolve) => waiting.push(resolve));
  }
  const counts = async (sessionId: string) => (await bench.database.fileSnapshots.getSessionsPendingStats()).get(sessionId);

  it('tells what has changed while the agent still works', async () => {
    bench.double.script.push(create('a.txt', 'one\ntwo\n'), [call('run_terminal_command', { command: 'echo hi' })], 'Done.');
    shown = await bench.send('Do it');
    const { data } = await bench.question(shown);
    await untilTold('changes shown a.txt');
    await bench.controller.decideApproval(shown, data.approvalId, false);
    await bench.over(shown);
    await untilTold('sessionsChanged shown');
    assert.deepEqual(await counts(shown), { additions: 2, deletions: 0, files: 1 });
  });

  it('keeps the numbers of a session that is not in front, and says so when they change', async () => {
    bench.double.script.push(create('a.txt', 'one\ntwo\n'), 'Done.');
    const other = await bench.ask('Do it');
    await untilTold('sessionsChanged other');
    assert.deepEqual(await counts(other), { additions: 2, deletions: 0, files: 1 });
    told.length = 0;
    await bench.changes.keep(other, null);
    await untilTold('sessionsChanged other');
    assert.equal(await counts(other), undefined);
    assert.ok(!told.some((line) => line.startsWith('changes')));
  });
});
