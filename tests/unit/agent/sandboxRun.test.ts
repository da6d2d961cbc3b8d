import assert from 'node:assert/strict';
import type { EntryOf } from '../../../src/protocol/entries';
import { FakeSandbox } from '../terminal/support/fakeSandbox';
import { AgentBench } from './support/agentBench';

describe('A session that runs commands in the sandbox', () => {
  let bench: AgentBench;
  let sandbox: FakeSandbox;
  beforeEach(async () => {
    sandbox = new FakeSandbox();
    bench = await AgentBench.start({ sandbox });
  });
  afterEach(() => bench.stop());

  const call = (name: string, input: Record<string, unknown>) => [{ call: { name, arguments: input } }];
  const grants = { commands: false, sandbox: true, sensitiveEdits: false };
  const send = async () =>
    (await bench.controller.send({ sessionId: null, text: 'go', mode: 'agent', model: 'worker', grants })).sessionId;
  const entriesOf = <T extends 'approval' | 'tool_result'>(sessionId: string, type: T) =>
    bench.view.entries(sessionId).filter((entry): entry is EntryOf<T> => entry.type === type);
  const denial = { kind: 'network', target: 'a.example' } as const;

  it('is asked nothing, and its log names the level', async () => {
    bench.double.script.push(call('run_terminal_command', { command: 'echo made > made.txt && cat made.txt' }), 'Done');
    sandbox.reports.push({ reverted: ['.git/config'] });
    const sessionId = await send();
    await bench.over(sessionId);
    assert.deepEqual(
      entriesOf(sessionId, 'approval').map(({ data: { phase, decision, decidedBy, isSandboxed } }) => [
        ...[phase, decision, decidedBy, isSandboxed],
      ]),
      [['decided', 'approved', 'session', true]],
    );
    const [result] = entriesOf(sessionId, 'tool_result');
    assert.match(result?.content ?? '', /^Exit code: 0\nmade\n/);
    assert.deepEqual(result?.data.sandbox, { denials: [], reverted: ['.git/config'] });
  });

  it('keeps a host that is allowed for its next commands, until it is revoked', async () => {
    const failing = call('run_terminal_command', { command: 'test -e there || { touch there; exit 1; }' });
    bench.double.script.push(failing, 'Done');
    sandbox.reports.push({ denials: [denial] });
    const sessionId = await send();
    const { data } = await bench.question(sessionId);
    assert.deepEqual(data.sandbox, { denials: [denial], host: 'a.example' });
    await bench.controller.decideApproval(sessionId, data.approvalId, true, { isHost: true });
    await bench.over(sessionId);
    assert.deepEqual(entriesOf(sessionId, 'approval').at(-1)?.data.allowedHost, 'a.example');
    assert.deepEqual((await bench.grants.of(sessionId)).hosts, ['a.example']);
    bench.double.script.push(call('run_terminal_command', { command: 'touch again' }), 'Done');
    await bench.ask('again', { sessionId });
    assert.deepEqual(
      sandbox.wrapped.map(({ hosts }) => hosts),
      [[], ['a.example'], ['a.example']],
    );
  });

  it('leaves the failed result where the run is stopped at the question', async () => {
    bench.double.script.push(call('run_terminal_command', { command: 'echo tried; touch x; exit 1' }), 'Done');
    sandbox.reports.push({ denials: [denial] });
    const sessionId = await send();
    await bench.question(sessionId);
    await bench.controller.stop(sessionId);
    const [result] = entriesOf(sessionId, 'tool_result');
    assert.deepEqual([result?.data.status, /^Exit code: 1\ntried\n/.test(result?.content ?? '')], ['error', true]);
    assert.equal(entriesOf(sessionId, 'approval').at(-1)?.data.decision, 'cancelled');
  });

  it('grants no host by an answer to another question', async () => {
    sandbox.state = { isAvailable: false, reason: 'missing', fix: null };
    bench.double.script.push(call('run_terminal_command', { command: 'touch x' }), 'Done');
    const sessionId = await send();
    const { data } = await bench.question(sessionId);
    assert.equal(data.reasons?.[0], 'not in the sandbox: missing');
    await bench.controller.decideApproval(sessionId, data.approvalId, true, { isHost: true });
    await bench.over(sessionId);
    assert.equal(entriesOf(sessionId, 'tool_result')[0]?.data.status, 'denied');
    assert.deepEqual((await bench.grants.of(sessionId)).hosts, []);
  });
});
