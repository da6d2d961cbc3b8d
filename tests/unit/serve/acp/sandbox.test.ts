import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { ClientQuestions } from '../../../../src/serve/acp/clientQuestions';
import { SessionUpdates } from '../../../../src/serve/acp/sessionUpdates';
import { silentLogger } from '../../../../src/utils/logger';
import { Workplace } from './workplace';

/** Requests an approval from a client that chooses an option. Returns the requests and the decisions. */
async function askedAbout(host: string | null, optionId: string | null) {
  const asked: RequestPermissionRequest[] = [];
  const decisions: unknown[] = [];
  const client = {
    request: async (_method: string, request: RequestPermissionRequest) => {
      asked.push(request);
      return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    },
  };
  const controller = {
    decideApproval: async (_session: string, _id: string, ...decision: unknown[]) => void decisions.push(decision),
    answerQuestion: () => Promise.resolve(),
  };
  const outbox = { send: () => undefined, whenSent: () => Promise.resolve() };
  const questions = new ClientQuestions('s', controller, client as never, new SessionUpdates('/work'), silentLogger, outbox);
  const sandbox = { denials: [{ kind: 'network', target: host }], host };
  const reasons = ['the sandbox denied: network access'];
  const event = { type: 'approval', approval: 'a', call_id: 'c', kind: 'command', command: 'npm install', reasons, sandbox };
  await questions.askPermission(event as never);
  return { asked, decisions };
}

describe('a command that the sandbox blocked, in the Agent Client Protocol', () => {
  it('has the answers of the editor as permission options', async () => {
    const { asked } = await askedAbout('a.example', 'no');
    assert.deepEqual(asked[0]?.options, [
      { optionId: 'allow_host', name: 'Allow a.example for this session', kind: 'allow_once' },
      { optionId: 'run_outside', name: 'Run outside the sandbox once', kind: 'allow_once' },
      { optionId: 'no', name: 'Skip', kind: 'reject_once' },
    ]);
    assert.match(JSON.stringify(asked[0]?.toolCall.content), /the sandbox denied: network access/);
    const without = await askedAbout(null, 'no');
    assert.deepEqual(
      without.asked[0]?.options.map(({ optionId }) => optionId),
      ['run_outside', 'no'],
    );
  });

  for (const [optionId, approve, isHost] of [
    ['allow_host', true, true],
    ['run_outside', true, false],
    ['no', false, false],
    ['once', false, false],
    [null, false, false],
  ] as const) {
    it(`is decided by the option ${String(optionId)}: ${approve ? 'runs' : 'does not run'}`, async () => {
      const { decisions } = await askedAbout('a.example', optionId);
      assert.deepEqual(decisions, [[approve, { isAlways: false, isHost }]]);
    });
  }
});

// bubblewrap is only available on Linux.
if (process.platform === 'linux')
  describe('a new session of the Agent Client Protocol, with the sandbox in the settings', () => {
    let work: Workplace;
    beforeEach(async () => {
      const settings = { 'agent.sandbox.enabled': true };
      work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'] }], undefined, settings);
    });
    afterEach(() => work.close());

    const call = (command: string) =>
      `<tool_call>${JSON.stringify({ name: 'run_terminal_command', arguments: { command } })}</tool_call>`;

    it('runs commands there without a question, and asks about a host that it denied', async () => {
      const script = "fetch('https://files.example.org').catch((e) => { console.error(e.cause); process.exit(1); })";
      work.double.script.push(call('touch made.txt'), call(`node -e "${script}"`), 'No luck. [TASK_COMPLETE]');
      work.editor.choose = () => 'no';
      const session = await work.editor.begin(work.folder);
      assert.equal((await work.editor.prompt(session, 'Fetch it')).stopReason, 'end_turn');
      assert.equal(existsSync(path.join(work.folder, 'made.txt')), true);
      assert.deepEqual(
        work.editor.asked.map(({ options }) => options.map(({ name }) => name)),
        [['Allow files.example.org for this session', 'Run outside the sandbox once', 'Skip']],
      );
      const request = JSON.stringify(work.double.requestsTo('/api/chat').at(-1)?.body);
      assert.match(request, /ran in a sandbox, which denied: network access to files\.example\.org/);
    });
  });
