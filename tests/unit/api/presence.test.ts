import assert from 'node:assert/strict';
import { ClientPresence, presenceMs } from '../../../src/api/clientPresence';
import { TerminalQuestions } from '../../../src/serve/terminalQuestions';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from '../database/support/manualClock';
import { until } from '../../support/until';
import { ApiBench } from './support';
import { AsyncMutex } from '../../../src/utils/asyncMutex';

const touch = '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>';
const caller = { name: 'ci', key: 'k'.repeat(43), isNew: false };

describe('clients that may answer', () => {
  it('count as gone a minute after their last connection', async () => {
    const clock = new ManualClock();
    const presence = new ClientPresence({ holds: () => true }, clock, silentLogger);
    let left = 0;
    presence.onDidLeave(() => (left += 1));
    const leaveFirst = presence.enter(caller);
    const leaveSecond = presence.enter(caller);
    assert.equal(presence.isAnyonePresent(), true);
    leaveFirst();
    await clock.advance(presenceMs);
    assert.deepEqual([presence.isAnyonePresent(), left], [true, 0]);
    leaveSecond();
    await clock.advance(presenceMs - 1);
    assert.deepEqual([presence.isAnyonePresent(), left], [true, 0]);
    await clock.advance(1);
    assert.deepEqual([presence.isAnyonePresent(), left], [false, 1]);
    presence.dispose();
  });

  it('are not those that may only write', () => {
    const presence = new ClientPresence({ holds: (_caller, scope) => scope !== 'run' }, new ManualClock(), silentLogger);
    presence.enter(caller);
    assert.equal(presence.isAnyonePresent(), false);
  });
});

describe('a run that asks for approval through the API', () => {
  let bench: ApiBench;
  beforeEach(async () => {
    bench = await ApiBench.start();
  });
  afterEach(() => bench.stop());

  /** Starts a run that requests an approval. Resolves to the dialog and the approval. */
  async function asking(): Promise<{ id: string; approval: string; told: { data: Record<string, unknown> }[] }> {
    bench.agent.double.script.push(touch, 'Done without it. [TASK_COMPLETE]');
    const { id } = await bench.ok<{ id: string }>('POST', '/api/dialogs', { mode: 'agent' });
    const { told } = await bench.follow(id, '0');
    await bench.ok('POST', `/api/dialogs/${id}/messages`, { content: 'Make it' });
    await until(() => told.some(({ type }) => type === 'approval'));
    const asked = told.find(({ type }) => type === 'approval');
    return { id, approval: String(asked?.data['approval']), told };
  }

  it('is refused when the last client that may answer leaves, and the model is told', async () => {
    let leave = () => undefined as void;
    let isPresent = true;
    const onDidLeave = (listener: () => void) => ((leave = listener), { dispose: () => undefined });
    let noted = '';
    const terminal = { note: (text: string) => void (noted += text), fresh: () => undefined, askText: null };
    new TerminalQuestions(
      bench.agent,
      { ...terminal, size: () => ({ columns: 80, rows: 24 }) },
      { isAnyonePresent: () => isPresent, onDidLeave },
      new AsyncMutex(),
    );
    const { id, told } = await asking();
    await until(() => noted.includes('Waiting for a client'));
    isPresent = false;
    leave();
    await bench.agent.over(id);
    await until(() => told.some(({ data }) => data['type'] === 'done'));
    const decided = told.find(({ data }) => data['phase'] === 'decided')?.data;
    assert.deepEqual([decided?.['decision'], decided?.['isUnanswered']], ['denied', true]);
    assert.match(noted, /Refused because nobody can answer/);
    assert.match(JSON.stringify(bench.agent.double.requestsTo('/api/chat').at(-1)?.body), /nobody could answer the request/);
  });

  it('logs the name of the client that decided', async () => {
    const { id, approval, told } = await asking();
    await bench.ok('POST', `/api/dialogs/${id}/approvals/${approval}`, { approve: true });
    await bench.agent.over(id);
    await until(() => told.some(({ data }) => data['type'] === 'done'));
    const decided = told.find(({ data }) => data['phase'] === 'decided')?.data;
    assert.deepEqual([decided?.['decision'], decided?.['decidedBy'], decided?.['client']], ['approved', 'person', 'script']);
  });

  it('can be refused by a client that may only write', async () => {
    const { id, approval } = await asking();
    bench.asked.splice(0);
    await bench.ok('POST', `/api/dialogs/${id}/approvals/${approval}`, { approve: false, unanswered: true });
    await bench.agent.over(id);
    assert.deepEqual(bench.asked, []);
  });

  it('tells a run that has to wait behind what', async () => {
    const first = await asking();
    const { id: second } = await bench.ok<{ id: string }>('POST', '/api/dialogs', { title: 'Second', mode: 'ask' });
    const { told } = await bench.follow(second, '0');
    bench.agent.double.script.push('Hello.');
    const behind = [{ dialog_id: first.id, title: 'Make it', state: 'waiting_for_approval' }];
    const sent = await bench.ok('POST', `/api/dialogs/${second}/messages`, { content: 'Hi' });
    assert.deepEqual(sent, { dialog_id: second, status: 'queued', behind, answers: 'person' });
    await until(() => told.some(({ type }) => type === 'queue'));
    assert.deepEqual(told.find(({ type }) => type === 'queue')?.data, {
      type: 'queue',
      messages: [],
      position: 1,
      behind,
      dialog_id: second,
    });
    await bench.ok('POST', `/api/dialogs/${first.id}/stop`);
    await bench.agent.over(second);
    await until(() => told.some(({ data }) => data['position'] === 0));
  });
});
