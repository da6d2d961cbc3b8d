import { afterEach, describe, expect, it } from 'vitest';
import type { ToolFacts } from '../../src/protocol/toolFacts';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const running = { sessionId: 's1', state: 'running', activity: null } as const;

describe('a command that ran', () => {
  const detailsOf = async (via: string, more: Record<string, string | boolean> = {}): Promise<string> => {
    const log = new TestLog();
    log.user('Test it');
    log.call('c1', 'run_terminal_command', { command: 'npm test' });
    const result = {
      callId: 'c1',
      name: 'run_terminal_command',
      status: 'success',
      display: 'ok',
      details: { via, ...more },
    } as const;
    log.add('tool_result', 'ok', result);
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    const row = get(app.root, 'button', 'Ran npm test');
    if (row.getAttribute('aria-expanded') !== 'true') row.click();
    await app.settle();
    return spokenText(get(app.root, 'article', 'Assistant'));
  };
  const note = "The terminal may show this command as eval '…', so that all output is captured";

  it('in the terminal tells once why it reads otherwise there', async () => {
    expect(await detailsOf('terminal', { isFirstEval: true })).toContain(note);
  });

  it('in the terminal as typed, or after another command there, needs no such note', async () => {
    expect(await detailsOf('terminal')).not.toContain('eval');
  });

  it('in a shell without a terminal says so in its row, with the name of the shell', async () => {
    const said = await detailsOf('childProcess', { shell: 'bash' });
    expect(said).toContain('background shell (bash)');
    expect(await detailsOf('childProcess')).not.toContain('background shell');
  });

  it('elsewhere needs no such note', async () => {
    expect(await detailsOf('childProcess')).not.toContain('eval');
  });
});

describe('a command that its user skipped', () => {
  it('shows neither how long they took nor what the model is told', async () => {
    const log = new TestLog();
    log.user('Test it');
    log.call('c1', 'run_terminal_command', { command: 'npm test' });
    const approval = { approvalId: 'a1', callId: 'c1', kind: 'command', command: 'npm test', cwd: '' } as const;
    log.add('approval', '', { ...approval, phase: 'requested', canAllowAlways: true });
    log.add('approval', '', { ...approval, phase: 'decided', decision: 'denied' });
    const told = 'The user declined this command. Do not try it again in another form.';
    log.add('tool_result', told, { callId: 'c1', name: 'run_terminal_command', status: 'denied', durationMs: 28_700 });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    const row = all(app.root, 'button').find((button) => nameOf(button).includes('npm test'));
    if (row?.getAttribute('aria-expanded') !== 'true') row?.click();
    await app.settle();
    const said = spokenText(get(app.root, 'article', 'Assistant'));
    expect(said).toContain('Skipped by you');
    expect(said).not.toMatch(/28\.7|in another form/);
  });
});

describe('a call of a tool that nobody knows here', () => {
  const titles = {
    done: 'Counted {0}',
    running: 'Counting {0}',
    planned: 'Count {0}',
    failed: 'Could not count {0}',
    stopped: 'Did not count {0}',
  };
  const show = async (done: string, calls = 1): Promise<HTMLElement> => {
    const facts: ToolFacts = {
      family: 'other',
      effect: 'none',
      details: 'output',
      about: { kind: 'file', argument: 'file' },
      titles: { ...titles, done },
      several: { done: 'Counted {0} files', running: 'Counting {0} files' },
    };
    const log = new TestLog();
    log.user('Count');
    for (const callId of ['c1', 'c2'].slice(0, calls)) {
      log.add('tool_call', '', { callId, name: 'count_lines', input: { file: 'src/a.ts' }, facts });
      log.add('tool_result', '3', { callId, name: 'count_lines', status: 'success' });
    }
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    return get(app.root, 'article', 'Assistant');
  };

  it('has the words that it carries, its file and its details', async () => {
    const answer = await show(titles.done);
    expect(has(answer, 'button', 'Open src/a.ts')).toBe(true);
    const row = get(answer, 'button', 'Counted a.ts');
    row.click();
    await app.settle();
    expect(has(answer, 'button', 'Counted a.ts')).toBe(true);
    expect(spokenText(answer)).toContain('3');
  });

  it('stands under one title with the others of its tool', async () => {
    expect(has(await show(titles.done, 2), 'button', 'Counted 2 files')).toBe(true);
  });

  it('shows markup in its words as text', async () => {
    const answer = await show('<img src=x onerror=alert(1)> {0}');
    expect(answer.querySelector('img')).toBeNull();
    expect(has(answer, 'button', '<img src=x onerror=alert(1)> a.ts')).toBe(true);
  });
});

describe('a form of an MCP server', () => {
  const base = { description: '', options: [], isRequired: true };
  const fields = [
    { ...base, name: 'region', title: 'Region', type: 'choice' as const, options: [{ value: 'eu', title: 'Europe' }] },
    { ...base, name: 'count', title: 'Machines', type: 'integer' as const, most: 8, initial: 2 },
    { ...base, name: 'dry', title: 'Only try it', type: 'boolean' as const, isRequired: false },
  ];
  const show = async (): Promise<HTMLElement> => {
    const log = new TestLog();
    log.user('Deploy it');
    log.call('c1', 'cloud__deploy', {});
    log.add('question', 'Where to?', { questionId: 'q1', callId: 'c1', phase: 'asked', options: [], fields });
    app = await startApp({ log, run: running });
    return get(app.root, 'group', 'Question');
  };
  const change = async (element: HTMLElement, value: string, event: string): Promise<void> => {
    (element as HTMLInputElement).value = value;
    element.dispatchEvent(new Event(event, { bubbles: true }));
    await app.settle();
  };
  const send = async (): Promise<void> => {
    get(app.root, 'button', 'Send answers').click();
    await app.settle();
  };

  it('is filled in as a whole: what does not fit is said beside its field and not sent', async () => {
    const form = await show();
    await send();
    expect(app.api.answerQuestion).not.toHaveBeenCalled();
    expect(form.textContent).toContain('Enter a value.');
    await change(get(app.root, 'combobox', 'Region'), 'eu', 'change');
    await change(get(app.root, 'textbox', 'Machines'), '9', 'input');
    await send();
    expect(form.textContent).toContain('At most 8.');
    await change(get(app.root, 'textbox', 'Machines'), 'many', 'input');
    expect(form.textContent).toContain('Enter a valid number.');
    expect((get(app.root, 'textbox', 'Machines') as HTMLInputElement).value).toBe('many');
    expect(app.api.answerQuestion).not.toHaveBeenCalled();
    await change(get(app.root, 'textbox', 'Machines'), '3', 'input');
    get(app.root, 'checkbox', 'Only try it').click();
    await send();
    const [sent] = app.api.answerQuestion.mock.lastCall ?? [];
    expect(JSON.parse(sent?.answer ?? '')).toEqual({ region: 'eu', count: 3, dry: true });
  });

  it('is declined by its button', async () => {
    await show();
    get(app.root, 'button', 'Decline').click();
    await app.settle();
    expect(app.api.answerQuestion).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', questionId: 'q1', answer: '' });
  });
});

describe('a question of the agent', () => {
  const asking = (): TestLog => {
    const log = new TestLog();
    log.user('Format it');
    log.call('c1', 'ask_user', { question: 'Tabs or blanks?' });
    log.add('question', 'Tabs or blanks?', { questionId: 'q1', callId: 'c1', phase: 'asked', options: ['Tabs', 'Blanks'] });
    return log;
  };
  const card = () => get(app.root, 'group', 'Question');
  const write = async (text: string) => {
    const field = get(card(), 'textbox', 'Your answer') as HTMLTextAreaElement;
    field.focus();
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
  };

  it('is announced, takes no focus, and is answered by one of its options, once', async () => {
    app = await startApp({ log: asking(), run: running });
    expect(spokenText(card())).toContain('Tabs or blanks?');
    expect(all(app.root, 'status').map(spokenText)).toContain('The agent asks: Tabs or blanks?');
    expect(card().contains(document.activeElement)).toBe(false);
    expect(all(card(), 'button').map(nameOf)).toEqual(['Tabs', 'Blanks', 'Answer', 'Skip']);
    get(card(), 'button', 'Blanks').click();
    get(card(), 'button', 'Tabs').click();
    await app.settle();
    expect(app.api.answerQuestion).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', questionId: 'q1', answer: 'Blanks' });
  });

  it('is answered in other words with Enter, and again when that did not arrive', async () => {
    app = await startApp({ log: asking(), run: running });
    app.api.answerQuestion.mockRejectedValueOnce(new Error('no'));
    await write('  ');
    await app.press('Enter');
    expect(app.api.answerQuestion).not.toHaveBeenCalled();
    await write(' Four blanks ');
    await app.press('Enter');
    await app.press('Enter');
    expect(app.api.answerQuestion.mock.calls.map(([{ answer }]) => answer)).toEqual(['Four blanks', 'Four blanks']);
    expect(app.api.send).not.toHaveBeenCalled();
  });

  const hint = 'This message answers the question.';
  const message = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
  const send = async (text: string) => {
    message().focus();
    message().value = text;
    message().dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    await app.press('Enter');
  };

  it('is answered by a message, which the message box says before', async () => {
    app = await startApp({ log: asking(), run: running });
    expect(message().placeholder).toBe('Answer the question');
    expect(app.root.textContent).not.toContain(hint);
    app.api.answerQuestion.mockRejectedValueOnce(new Error('no'));
    await send('Euro please');
    expect(message().value).toBe('Euro please');
    expect(app.root.textContent).toContain(hint);
    expect(all(app.root, 'button').map(nameOf)).not.toContain('Queue message');
    await app.press('Enter');
    expect(app.api.answerQuestion).toHaveBeenLastCalledWith({ sessionId: 's1', questionId: 'q1', answer: 'Euro please' });
    expect(message().value).toBe('');
    expect(app.root.textContent).not.toContain(hint);
    expect(app.api.enqueue).not.toHaveBeenCalled();
  });

  const second = { questionId: 'q2', callId: 'c2', phase: 'asked' as const, options: [] };
  const place = { name: 'a', title: 'Place', description: '', type: 'text' as const, options: [], isRequired: false };
  const settled = { questionId: 'q1', callId: 'c1', phase: 'settled', outcome: 'answered' } as const;
  for (const [name, add] of [
    ['is pending beside another', (log: TestLog) => log.add('question', 'Why?', second)],
    ['is answered', (log: TestLog) => log.add('question', 'Tabs', settled)],
    [
      'is a form',
      (log: TestLog) => {
        log.add('question', 'Tabs', settled);
        log.add('question', 'Where?', { ...second, fields: [place] });
      },
    ],
    [
      'gave way to an approval',
      (log: TestLog) => {
        log.add('question', 'Tabs', settled);
        log.call('c3', 'run_terminal_command', { command: 'npm test' });
        log.add('approval', '', { approvalId: 'a1', callId: 'c3', phase: 'requested', kind: 'command', command: 'npm test' });
      },
    ],
  ] as const)
    it(`is not answered by a message, which is queued, if it ${name}`, async () => {
      const log = asking();
      add(log);
      app = await startApp({ log, run: running });
      expect(message().placeholder).toBe('Ask a question or describe a task');
      await send('Euro please');
      expect(app.api.enqueue).toHaveBeenCalledOnce();
      expect(app.api.answerQuestion).not.toHaveBeenCalled();
    });

  it('is not answered by a message with attachments, which is queued', async () => {
    app = await startApp({ log: asking(), run: running, state: { attachments: { s1: [{ kind: 'file', path: 'a.ts' }] } } });
    await send('Euro please');
    expect(app.api.enqueue).toHaveBeenCalledOnce();
    expect(app.api.answerQuestion).not.toHaveBeenCalled();
  });

  it('is left to the agent with Escape on it, which stops nothing', async () => {
    app = await startApp({ log: asking(), run: running });
    get(card(), 'button', 'Tabs').focus();
    await app.press('Escape');
    expect(app.api.answerQuestion).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', questionId: 'q1', answer: '' });
    expect(app.api.stop).not.toHaveBeenCalled();
  });

  it('says what became of it, in the place of its call', async () => {
    const log = asking();
    log.add('question', 'Blanks', { questionId: 'q1', callId: 'c1', phase: 'settled', outcome: 'answered' });
    log.add('tool_result', 'The user answered: Blanks', { callId: 'c1', name: 'ask_user', status: 'success' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    expect(spokenText(card())).toBe('Tabs or blanks? You answered: Blanks');
    expect(all(card(), 'button')).toEqual([]);
    expect(spokenText(get(app.root, 'article', 'Assistant'))).not.toContain('Asked');
  });

  it('that nobody answered before the window closed says so, and the run can go on', async () => {
    app = await startApp({ log: asking(), run: { sessionId: 's1', state: 'interrupted', activity: null } });
    expect(spokenText(card())).toBe('Tabs or blanks? Not answered');
    get(app.root, 'button', 'Continue').click();
    await app.settle();
    expect(app.api.continueRun).toHaveBeenCalledOnce();
  });
});

describe('the list of what the agent means to do', () => {
  const planned = (...states: ('pending' | 'in_progress' | 'completed')[]): TestLog => {
    const log = new TestLog();
    log.user('Do it');
    log.call('c1', 'update_todos', {});
    const todos = states.map((state, index) => ({ text: `Step ${index + 1}`, state }));
    log.add('tool_result', 'Set', { callId: 'c1', name: 'update_todos', status: 'success', todos });
    log.add('run_end', '', { outcome: 'done' });
    return log;
  };

  it('is one line with what is being done, and opens to all of it', async () => {
    app = await startApp({ log: planned('completed', 'in_progress', 'pending') });
    const toggle = get(app.root, 'button', '1 of 3 done Step 2');
    expect(has(app.root, 'list', 'Todos')).toBe(false);
    toggle.click();
    await app.settle();
    expect(all(get(app.root, 'list', 'Todos'), 'listitem').map(spokenText)).toEqual([
      'Step 1 done',
      'Step 2 in progress',
      'Step 3 to do',
    ]);
  });

  it('shows code in an item without its backticks', async () => {
    const log = new TestLog();
    log.user('Do it');
    log.call('c1', 'update_todos', {});
    const todos = [{ text: 'Read `src/main.ts`', state: 'pending' as const }];
    log.add('tool_result', 'Set', { callId: 'c1', name: 'update_todos', status: 'success', todos });
    app = await startApp({ log });
    get(app.root, 'button', '0 of 1 done Read src/main.ts').click();
    await app.settle();
    expect(spokenText(get(app.root, 'list', 'Todos'))).toBe('Read src/main.ts to do');
  });

  it('is not there where there is none', async () => {
    app = await startApp({ log: planned() });
    expect(spokenText(app.root)).not.toContain('0 of 0');
  });
});
