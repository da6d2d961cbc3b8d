import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { FakeSandbox } from '../terminal/support/fakeSandbox';
import { until } from '../../support/until';
import { ApiBench, type Told } from './support';

describe('approval of a command that the sandbox blocked, over the API', () => {
  let bench: ApiBench;
  let sandbox: FakeSandbox;
  beforeEach(async () => {
    sandbox = new FakeSandbox();
    bench = await ApiBench.start({ sandbox });
  });
  afterEach(() => bench.stop());

  /** Runs a command that fails the first time. Resolves when its approval request arrives. */
  const ask = async (host: string | null) => {
    const command = 'test -e tried || { touch tried; exit 1; }; touch made.txt';
    const input = JSON.stringify({ name: 'run_terminal_command', arguments: { command } });
    bench.agent.double.script.push(`<tool_call>${input}</tool_call>`, 'Over. [TASK_COMPLETE]');
    sandbox.reports.push({ denials: [{ kind: 'network', target: host }] });
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    const { told } = await bench.follow(id, '0');
    const requests = () => told.filter(({ type, data }) => type === 'approval' && data['phase'] === 'requested');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Go', mode: 'agent', sandbox: true });
    await until(() => requests().length > 0);
    const decide = (body: object) =>
      bench.call('POST', `/api/dialogs/${id}/approvals/${String(requests()[0]?.data['approval'])}`, body);
    return { id, told, request: requests()[0] as Told, decide };
  };
  const isMade = () => existsSync(bench.agent.file('made.txt'));

  it('allows the host for the dialog, and runs the command in the sandbox again', async () => {
    const { id, told, request, decide } = await ask('a.example');
    assert.deepEqual(request.data['sandbox'], { denials: [{ kind: 'network', target: 'a.example' }], host: 'a.example' });
    assert.equal((await decide({ approve: true, sandbox: 'allow_host' })).status, 200);
    await bench.agent.over(id);
    assert.deepEqual(
      sandbox.wrapped.map(({ hosts }) => hosts),
      [[], ['a.example']],
    );
    await until(() => told.some(({ data }) => data['allowedHost'] === 'a.example'));
    assert.equal(isMade(), true);
  });

  it('runs it outside only if the client says so', async () => {
    const { id, decide } = await ask('a.example');
    const plain = await decide({ approve: true });
    assert.deepEqual([plain.status, (plain.body as { error?: { code: string } }).error?.code], [400, 'INVALID']);
    assert.equal(isMade(), false);
    assert.equal((await decide({ approve: true, sandbox: 'run_outside' })).status, 200);
    await bench.agent.over(id);
    assert.deepEqual([sandbox.wrapped.length, isMade()], [1, true]);
  });

  it('allows no host where the request has none, and skips without a choice', async () => {
    const { id, decide } = await ask(null);
    assert.equal((await decide({ approve: true, sandbox: 'allow_host' })).status, 400);
    assert.equal((await decide({ approve: false })).status, 200);
    await bench.agent.over(id);
    assert.deepEqual([sandbox.wrapped.length, isMade()], [1, false]);
  });

  it('takes no choice for another request', async () => {
    sandbox.state = { isAvailable: false, reason: 'missing', fix: null };
    bench.agent.double.script.push(
      '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>',
      'Over. [TASK_COMPLETE]',
    );
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', {});
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Go', mode: 'agent' });
    const { data } = await bench.agent.question(id);
    for (const choice of ['allow_host', 'run_outside']) {
      const body = { approve: true, sandbox: choice };
      assert.equal((await bench.call('POST', `/api/dialogs/${id}/approvals/${data.approvalId}`, body)).status, 400);
    }
    assert.equal(isMade(), false);
  });
});
