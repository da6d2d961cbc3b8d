import { afterEach, describe, expect, it } from 'vitest';
import { noTools, startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const agents = [
  {
    name: 'Reviewer',
    description: 'Looks for faults',
    shown: '.github/agents/reviewer.agent.md',
    model: noTools.name,
    handoffs: [
      { label: 'Mend them', agent: 'Mender', prompt: 'Mend what you have found.', isSent: false },
      { label: 'Ask on', agent: 'ask', prompt: 'Why?', isSent: true },
    ],
  },
  { name: 'Mender', description: '', shown: '.github/agents/mender.agent.md', model: null, handoffs: [] },
];
const press = async (name: string): Promise<void> => {
  get(app.root, 'button', name).click();
  await app.settle();
};
const choose = async (name: string): Promise<void> => {
  all(app.root, 'option')
    .find((option) => nameOf(option).startsWith(name))
    ?.click();
  await app.settle();
};
const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
async function send(text: string): Promise<void> {
  field().focus();
  field().value = text;
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
  await app.press('Enter');
}

describe('agents of the workspace', () => {
  it('stand after the modes, and one that is chosen goes with the message, with its model', async () => {
    app = await startApp({ log: new TestLog(), agents });
    await press('Mode: Agent');
    expect(all(app.root, 'option').map((option) => nameOf(option).split(/ {2}|,/)[0])).toHaveLength(6);
    await choose('Reviewer');
    expect(has(app.root, 'button', 'Mode: Reviewer')).toBe(true);
    expect(has(app.root, 'button', `Model: ${noTools.name}`)).toBe(true);
    await send('Review it');
    const agent = { kind: 'agent', path: 'Reviewer' };
    expect(app.api.send).toHaveBeenLastCalledWith(
      expect.objectContaining({ mode: 'agent', model: noTools.name, attachments: [agent] }),
    );
    await press('Mode: Reviewer');
    await choose('Ask');
    await send('And this?');
    const [queued] = app.api.enqueue.mock.lastCall ?? [];
    expect([queued?.mode, queued?.attachments]).toEqual(['ask', undefined]);
  });

  it('hand over when they are done: words for the composer, or sent at once', async () => {
    const log = new TestLog();
    log.add('user_input', 'Review it', { mode: 'agent', attachments: [{ kind: 'agent', path: 'Reviewer' }] });
    log.add('assistant_output', 'Line 3.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log, agents });
    expect(get(app.root, 'article', 'You').textContent).toContain('Reviewer');
    await press('Mend them');
    expect(field().value).toBe('Mend what you have found.');
    expect(has(app.root, 'button', 'Mode: Mender')).toBe(true);
    expect(has(app.root, 'button', `Model: ${tools.name}`)).toBe(true);
    field().value = '';
    field().dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    await press('Ask on');
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ text: 'Why?', mode: 'ask' }));
  });
});
