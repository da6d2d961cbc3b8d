import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => app.wrapper.unmount());

async function asked(): Promise<Element> {
  const log = new TestLog();
  log.user('Drop it');
  log.call('c1', 'db__drop', { table: 'users' });
  log.add('approval', '', {
    approvalId: 'a1',
    callId: 'c1',
    phase: 'requested',
    kind: 'tool',
    command: 'db__drop',
    cwd: '\0tool:1',
    reasons: ['unverified information from the server: read-only'],
    canAllowAlways: true,
    tool: { origin: 'db', name: 'drop', arguments: '{ "table": "users\u202e" }', description: 'Drops a table' },
  });
  app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
  return get(app.root, 'group', 'Approve tool');
}

describe('a tool from elsewhere that waits for approval', () => {
  it('shows server, tool, arguments and what it claims, and is announced', async () => {
    const card = await asked();
    const text = spokenText(card);
    expect(text).toContain('Use drop from db');
    expect(text).toContain('{ "table": "users⟨U+202E⟩" }');
    expect(text).toContain('Unverified information from the server: read-only');
    expect(text).toContain('Tool description: Drops a table');
    expect(all(card, 'button').map(nameOf)).toEqual(['Run', 'Skip', 'Always allow in this session']);
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Approve tool: db__drop. Press Control+Enter to run it.');
  });

  it('is named by its own name and its server in the row', async () => {
    await asked();
    expect(spokenText(get(app.root, 'listitem'))).toContain('Use drop (db)');
  });

  it('says what allowing it for the chat covers', async () => {
    const { title } = get(await asked(), 'button', 'Always allow in this session');
    expect(title).toContain('no longer asks for it in this chat, with any arguments');
    expect(title).toContain(
      'If its description changes, or the agent changes a script that starts its server, you are asked once',
    );
  });

  it('is run, skipped, or allowed for the session by its buttons', async () => {
    const answers: [string, { approve: boolean; always?: boolean }][] = [
      ['Run', { approve: true }],
      ['Skip', { approve: false }],
      ['Always allow in this session', { approve: true, always: true }],
    ];
    for (const [name, answer] of answers) {
      get(await asked(), 'button', name).click();
      await app.settle();
      expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', ...answer });
      if (name !== 'Always allow in this session') app.wrapper.unmount();
    }
  });
});
