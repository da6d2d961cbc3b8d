import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BackgroundCommand } from '../../src/protocol/requests/runningCommands';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  vi.useRealTimers();
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const name = 'run_terminal_command';
const run = { state: 'running', activity: { kind: 'tool', name, since: 0 } } as const;

function begun(): TestLog {
  const log = new TestLog();
  log.user('Build it');
  return add(log, 'c1', 'make');
}
function add(log: TestLog, callId: string, command: string): TestLog {
  log.add('tool_call', '', { callId, name, input: { command }, label: command });
  return log;
}
interface Printed {
  callId: string;
  output: string;
  startedAt?: number;
}
const start = (log: TestLog, outputs: Printed[] = []) =>
  startApp({ log, run: { sessionId: 's1', ...run }, commandOutput: outputs });
const print = async (outputs: Printed[], sessionId = 's1') => {
  app.port.emit('commandOutput', { sessionId, outputs });
  await app.settle();
};
const shown = () => all(app.root, 'group', 'Output so far').map((box) => box.textContent);

describe('the row of a running command', () => {
  it('shows the last lines that the command printed, and the result alone at its end', async () => {
    const log = begun();
    app = await start(log);
    expect(shown()).toEqual([]);
    await print([{ callId: 'c1', output: '1\n2\n3\n4\n5\n6' }]);
    expect(shown()).toEqual(['2\n3\n4\n5\n6']);
    await print([{ callId: 'c1', output: '6\n7' }]);
    expect(shown()).toEqual(['6\n7']);
    // The command has ended, but its result is not logged yet.
    await print([]);
    expect(shown()).toEqual(['6\n7']);
    const entry = log.add('tool_result', 'Exit code: 0', { callId: 'c1', name, status: 'success', display: 'all' });
    app.port.emit('log', { kind: 'entry', sessionId: 's1', revision: log.revision, entry });
    await app.settle();
    expect(shown()).toEqual([]);
  });

  it('says what is prepared, until the command prints or the preparation ends', async () => {
    app = await start(begun());
    const row = () => spokenText(app.root);
    app.port.emit('commandOutput', { sessionId: 's1', outputs: [{ callId: 'c1', output: '', note: 'Copying (320 MB)…' }] });
    await app.settle();
    expect([row().includes('Copying (320 MB)…'), shown()]).toEqual([true, []]);
    await print([]);
    expect([row().includes('Copying'), shown()]).toEqual([false, []]);
    await print([{ callId: 'c1', output: 'built' }]);
    expect([row().includes('Copying'), shown()]).toEqual([false, ['built']]);
  });

  it('shows how long the command runs, and stops it alone', async () => {
    app = await start(begun());
    await print([{ callId: 'c1', output: '', startedAt: Date.now() - 65_000 }]);
    expect(spokenText(app.root)).toContain('1 min 5 s');
    get(app.root, 'button', 'Stop command: make').click();
    await app.settle();
    expect(app.api.stopCommand).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', callId: 'c1' });
    expect(app.api.stop).not.toHaveBeenCalled();
  });

  it('lets the command continue in the background, and its title says so', async () => {
    const log = begun();
    app = await start(log);
    await print([{ callId: 'c1', output: 'one', startedAt: Date.now() }]);
    const button = get(app.root, 'button', 'Continue in background: make');
    button.focus();
    expect(document.activeElement).toBe(button);
    button.click();
    await app.settle();
    expect(app.api.continueInBackground).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', callId: 'c1' });
    expect([app.api.stopCommand.mock.calls, app.api.stop.mock.calls]).toEqual([[], []]);
    const details = { background: 'terminal-1a2b' };
    const row = () => spokenText(app.root.querySelector('.tool-group') as Element);
    const background = async (...commands: BackgroundCommand[]) => {
      app.port.emit('background', { sessionId: 's1', commands });
      await app.settle();
    };
    const inBackground = (id: string) => background({ id, command: 'make' });
    await inBackground('terminal-1a2b');
    const entry = log.add('tool_result', '', { callId: 'c1', name, status: 'success', display: 'one', details });
    await print([]);
    app.port.emit('log', { kind: 'entry', sessionId: 's1', revision: log.revision, entry });
    await app.settle();
    expect(spokenText(app.root)).toContain('Started make');
    expect(has(app.root, 'button', 'Continue in background: make')).toBe(false);
    expect(row()).toContain('running in the background');
    await inBackground('terminal-9');
    expect(row()).not.toContain('running in the background');
    expect(row()).toContain('ended');
    await background({ id: 'terminal-1a2b', command: 'make', isStopped: true });
    expect(row()).toContain('cancelled');
    expect(row()).not.toContain('ended');
    expect(has(app.root, 'list', 'Running in the background')).toBe(false);
  });

  it('says before the command that it was started in the background, and only there', async () => {
    const log = new TestLog();
    log.user('Build it');
    const titles = { done: 'Ran {0}', running: 'Running {0}', planned: 'Run {0}', failed: 'Ran {0}', stopped: 'Stopped {0}' };
    const facts = {
      ...({ family: 'command', effect: 'command' } as const),
      titles: { ...titles, started: 'Started in background: {0}' },
    };
    log.add('tool_call', '', { callId: 'c1', name, input: { command: 'make' }, label: 'make', facts });
    const details = { background: 'terminal-1a2b' };
    log.add('tool_result', '', { callId: 'c1', name, status: 'success', summary: 'in the background', details });
    app = await start(log);
    const row = spokenText(app.root.querySelector('.tool-group') as Element);
    expect(row).toContain('Started in background: make');
    expect(row).not.toContain('in the background');
  });

  it('says that a command seems to wait for input once it is quiet after a prompt', async () => {
    app = await start(begun());
    const says = () => spokenText(app.root);
    const hint = 'The command seems to wait for input.';
    vi.useFakeTimers({ toFake: ['Date'] });
    const startedAt = Date.now();
    const at = (seconds: number) => vi.setSystemTime(startedAt + seconds * 1000);
    await print([{ callId: 'c1', output: 'compiling', startedAt }]);
    at(10);
    await vi.waitFor(() => expect(says()).toContain('10 s'));
    expect(says()).not.toContain(hint);
    await print([{ callId: 'c1', output: 'compiling\nOverwrite a.txt? [y/N]', startedAt }]);
    expect(says()).not.toContain(hint);
    at(20);
    await vi.waitFor(() => expect(says()).toContain(hint));
    await print([{ callId: 'c1', output: 'compiling\nOverwrite a.txt? [y/N] y\ndone', startedAt }]);
    expect(says()).not.toContain(hint);
  });

  it('shows after a reload what was printed before', async () => {
    app = await start(begun(), [{ callId: 'c1', output: 'compiling' }]);
    expect(shown()).toEqual(['compiling']);
  });

  it('shows no output of another session or call', async () => {
    app = await start(begun());
    await print([{ callId: 'c1', output: 'elsewhere' }], 's2');
    await print([{ callId: 'c0', output: 'earlier' }]);
    expect(shown()).toEqual([]);
  });

  it('shows the output in the row of its call in a group', async () => {
    const log = begun();
    log.add('tool_result', 'Exit code: 0', { callId: 'c1', name, status: 'success' });
    app = await start(add(log, 'c2', 'make test'));
    await print([{ callId: 'c2', output: 'testing' }]);
    const row = get(app.root, 'group', 'Output so far').closest('li');
    expect(spokenText(row as Element)).toContain('make test');
  });

  it('is silent for screen readers, takes no focus, and marks characters that hide or turn text', async () => {
    app = await start(begun());
    await print([{ callId: 'c1', output: 'a\u202eb' }]);
    const box = get(app.root, 'group', 'Output so far');
    expect(box.getAttribute('aria-live')).toBe('off');
    expect(box.querySelector('[tabindex], button, a')).toBe(null);
    expect(box.textContent).toBe('a⟨U+202E⟩b');
    expect(has(app.root, 'group', 'Output so far')).toBe(true);
  });
});
