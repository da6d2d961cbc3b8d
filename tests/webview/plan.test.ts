import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { get, has } from './support/roles';

const items = [
  { id: 'p_1', text: 'Write a.txt\nwith one line' },
  { id: 'p_2', text: 'Write b.txt' },
];

describe('a plan', () => {
  let app: TestApp;
  afterEach(() => app.wrapper.unmount());

  const open = async (log: TestLog): Promise<void> => {
    app = await startApp({ ready: { sessionId: 's', mode: 'plan' }, log });
    await app.settle();
  };
  const planned = (): TestLog => {
    const log = new TestLog('s');
    log.add('user_input', 'Add two files', { mode: 'plan', attachments: [] });
    log.add('assistant_output', '## Plan\n1. Write a.txt\n2. Write b.txt', { end: 'complete' });
    log.add('plan', '', { planId: 'p', items });
    log.add('run_end', '', { outcome: 'done' });
    return log;
  };

  it('can be started, in Agent mode', async () => {
    await open(planned());
    const plan = get(app.root, 'group', 'Plan');
    expect(plan.textContent).toContain('Plan with 2 steps');
    get(plan, 'button', 'Start implementation').click();
    await app.settle();
    expect(app.api.selectMode).toHaveBeenCalledWith({ mode: 'agent' });
    expect(app.api.startPlan).toHaveBeenCalledExactlyOnceWith({ sessionId: 's', seq: 3, model: 'qwen3:14b' });
  });

  it('can be changed: the composer begins the message', async () => {
    await open(planned());
    get(app.root, 'button', 'Change the plan').click();
    await app.settle();
    expect((get(app.root, 'textbox', 'Message') as HTMLTextAreaElement).value).toBe('Change the plan: ');
    expect(app.api.startPlan).not.toHaveBeenCalled();
  });

  it('shows its progress while it is carried out, and offers nothing any more', async () => {
    const log = planned();
    log.add('user_input', 'Carry out this plan', { mode: 'agent', attachments: [], plan: { planId: 'p', items } });
    log.add('tool_call', '', { callId: 'c', name: 'complete_step', input: { step: 1 } });
    const todos = [
      { text: 'Write a.txt', state: 'completed' as const },
      { text: 'Write b.txt', state: 'in_progress' as const },
    ];
    log.add('tool_result', 'Done', { callId: 'c', name: 'complete_step', status: 'success', todos, doneStep: 'p_1' });
    await open(log);
    expect(app.root.textContent).toContain('1 of 2 done');
    expect(has(app.root, 'button', 'Start implementation')).toBe(false);
  });
});
