import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { diffFiles } from '../../../src/protocol/text/diffLines';
import { AgentBench } from './support/agentBench';

type ScriptedStep = { call: { name: string; arguments: Record<string, unknown> } }[];

describe('A command that is allowed for a session', () => {
  let bench: AgentBench;
  let sessionId: string;
  beforeEach(async () => void (bench = await AgentBench.start()));
  afterEach(() => bench.stop());

  const run = (command: string): ScriptedStep => [{ call: { name: 'run_terminal_command', arguments: { command } } }];
  const write = (path: string, content: string): ScriptedStep => [{ call: { name: 'write_file', arguments: { path, content } } }];
  const put = (name: string, text: string): void => writeFileSync(bench.file(name), text);

  /** Runs a command in a new session and allows it. */
  async function allow(command: string): Promise<void> {
    bench.double.script.push(run(command), 'Done. [TASK_COMPLETE]');
    sessionId = await bench.send('Run it');
    const { approvalId } = (await bench.question(sessionId)).data;
    await bench.controller.decideApproval(sessionId, approvalId, true, { isAlways: true });
    await bench.over(sessionId);
  }

  /** Runs scripted steps. Returns the question that they cause, or null. */
  async function meets(...steps: ScriptedStep[]) {
    bench.double.script.push(...steps, 'Done. [TASK_COMPLETE]');
    const before = bench.view.entries(sessionId).at(-1)?.seq ?? 0;
    await bench.send('Go on', { sessionId });
    const met = await bench.view.waitFor(
      sessionId,
      (one) => one.seq > before && (one.type === 'run_end' || (one.type === 'approval' && one.data.phase === 'requested')),
    );
    if (met.type === 'approval') return met.data;
    await bench.over(sessionId);
    return null;
  }

  const answer = async (approvalId: string, isAllowed: boolean): Promise<void> => {
    await bench.controller.decideApproval(sessionId, approvalId, isAllowed);
    await bench.over(sessionId);
  };

  it('asks once, with the diff, when the agent has rewritten its script', async () => {
    put('x.sh', 'echo one\necho two\n');
    await allow('bash x.sh');
    assert.equal(await meets(run('bash x.sh')), null);
    const asked = await meets(write('x.sh', 'echo one\necho evil\n'), run('bash x.sh'));
    assert.deepEqual(
      [asked?.command, asked?.reasons?.[0], asked?.canAllowAlways],
      ['bash x.sh', 'the agent has changed x.sh since you allowed this', false],
    );
    assert.match(asked?.diff ?? '', /-echo two\n\+echo evil/);
    await answer(asked?.approvalId ?? '', false);
    const again = await meets(run('bash x.sh'));
    assert.match(again?.diff ?? '', /-echo two\n\+echo evil/);
    await answer(again?.approvalId ?? '', true);
    assert.equal(await meets(run('bash x.sh')), null);
  });

  it('says that the answer covers the changes from then on, and is right', async () => {
    put('x.sh', 'echo one\n');
    await allow('bash x.sh');
    const asked = await meets(write('x.sh', 'echo two\n'), run('bash x.sh'));
    assert.equal(asked?.reasons?.[1], 'if you allow this, the approval covers these changes for the rest of this chat');
    await answer(asked?.approvalId ?? '', true);
    assert.equal(await meets(run('bash x.sh')), null);
  });

  it('shows each of several files that the agent has rewritten by its name', async () => {
    put('x.sh', 'echo one\n');
    put('y.sh', 'echo two\n');
    await allow('bash x.sh && bash y.sh');
    const asked = await meets(write('x.sh', 'echo evil\n'), write('y.sh', 'echo worse\n'), run('bash x.sh && bash y.sh'));
    assert.deepEqual(
      diffFiles(asked?.diff ?? '').map(({ before, after, lines }) => [before, after, lines.map(({ text }) => text)]),
      [
        ['x.sh', 'x.sh', ['echo one', 'echo evil']],
        ['y.sh', 'y.sh', ['echo two', 'echo worse']],
      ],
    );
    await answer(asked?.approvalId ?? '', false);
  });

  it('asks when the agent changes its script a second time in one answer to a message', async () => {
    put('x.sh', 'echo one\n');
    await allow('bash x.sh');
    const asked = await meets(write('x.sh', 'echo two\n'), run('bash x.sh'), write('x.sh', 'echo three\n'), run('bash x.sh'));
    assert.match(asked?.diff ?? '', /-echo one\n\+echo two/);
    await bench.controller.decideApproval(sessionId, asked?.approvalId ?? '', true);
    const next = await bench.question(sessionId);
    assert.match(next.data.diff ?? '', /-echo two\n\+echo three/);
    await answer(next.data.approvalId, true);
  });

  it('does not ask about a version that the user wrote or kept', async () => {
    put('x.sh', 'echo one\n');
    await allow('bash x.sh');
    put('x.sh', 'echo mine\n');
    assert.equal(await meets(run('bash x.sh')), null);
    assert.equal(await meets(write('x.sh', 'echo theirs\n')), null);
    await bench.changes.keep(sessionId, null);
    assert.equal(await meets(run('bash x.sh')), null);
    assert.notEqual(await meets(write('x.sh', 'echo others\n'), run('bash x.sh')), null);
    await answer((await bench.question(sessionId)).data.approvalId, false);
    await bench.changes.undo(sessionId, null);
    assert.equal(await meets(run('bash x.sh')), null);
  });

  it('does not ask where only the user has changed the script since, and the change of the agent was there before', async () => {
    await allow('true');
    assert.equal(await meets(write('x.sh', 'echo one\necho two\n')), null);
    bench.double.script.push(run('bash x.sh'), 'Done. [TASK_COMPLETE]');
    await bench.send('Run', { sessionId });
    const { approvalId } = (await bench.question(sessionId)).data;
    await bench.controller.decideApproval(sessionId, approvalId, true, { isAlways: true });
    await bench.over(sessionId);
    put('x.sh', 'echo one\necho two\necho mine\n');
    assert.equal(await meets(run('bash x.sh')), null);
  });

  it('covers what a script of package.json runs, and a script that was not there', async () => {
    mkdirSync(bench.file('scripts'));
    put('package.json', JSON.stringify({ scripts: { check: 'node scripts/check.js' } }));
    put('scripts/check.js', 'console.log(1)\n');
    await allow('npm run check');
    const asked = await meets(write('scripts/check.js', 'console.log(2)\n'), run('npm run check'));
    assert.equal(asked?.reasons?.[0], 'the agent has changed scripts/check.js since you allowed this');
    await answer(asked?.approvalId ?? '', true);
    put('package.json', JSON.stringify({ scripts: { check: 'node scripts/other.js' } }));
    const other = await meets(write('scripts/other.js', 'console.log(3)\n'), run('npm run check'));
    assert.equal(other?.reasons?.[0], 'the agent has changed scripts/other.js since you allowed this');
    await answer(other?.approvalId ?? '', false);
  });

  it('of an older version without hashes holds, but for files that the agent has changed', async () => {
    put('x.sh', 'echo one\n');
    await allow('true');
    await bench.database.sessions.update(sessionId, { allowed_commands: '[{"command":"bash x.sh","cwd":"."}]' });
    assert.equal(await meets(run('bash x.sh')), null);
    const asked = await meets(write('x.sh', 'echo two\n'), run('bash x.sh'));
    assert.match(asked?.diff ?? '', /-echo one\n\+echo two/);
    await answer(asked?.approvalId ?? '', false);
  });

  it('asks about a change of another session too', async () => {
    put('x.sh', 'echo one\n');
    await allow('bash x.sh');
    const first = sessionId;
    bench.double.script.push(write('x.sh', 'echo two\n'), 'Done. [TASK_COMPLETE]');
    await bench.ask('Write');
    sessionId = first;
    const asked = await meets(run('bash x.sh'));
    assert.match(asked?.diff ?? '', /-echo one\n\+echo two/);
    await answer(asked?.approvalId ?? '', false);
  });
});
