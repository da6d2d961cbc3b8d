import { afterEach, describe, expect, it } from 'vitest';
import type { PullState } from '../../src/protocol/webviewEvents';
import { startApp, tools, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const none = { models: [], stale: false, selected: {} };
const connection = { state: 'connected', baseUrl: 'http://localhost:11434', version: '1', message: null, demo: false } as const;
const pulling: PullState = {
  name: 'qwen3:8b',
  status: 'pulling',
  completed: 1.3e9,
  total: 5.2e9,
  bytesPerSecond: 65e6,
  message: null,
};

describe('the first run', () => {
  it('says how to install on this system, and leaves when the server is there', async () => {
    app = await startApp({
      ready: { models: none, system: 'windows', connection: { ...connection, state: 'unreachable', version: null } },
    });
    expect(spokenText(app.root)).toContain('Ollama was not found');
    expect(spokenText(app.root)).toContain('winget install Ollama.Ollama');
    app.port.emit('connection', connection);
    await app.settle();
    expect(spokenText(app.root)).toContain('No models yet');
    app.port.emit('models', { models: [tools], stale: false, selected: { agent: tools.name } });
    await app.settle();
    expect(has(app.root, 'button', `Model: ${tools.name}`)).toBe(true);
    expect(spokenText(app.root)).not.toContain('No models yet');
  });

  it('offers models that fit, pulls one with progress, and cancels it', async () => {
    app = await startApp({ ready: { models: none } });
    expect(spokenText(app.root)).toContain('fits into 16 GB of memory');
    get(app.root, 'button', 'Pull qwen3:8b').click();
    await app.settle();
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'qwen3:8b' });

    app.port.emit('pulls', [pulling]);
    await app.settle();
    const bar = get(app.root, 'progressbar', 'Pulling qwen3:8b');
    expect(bar.getAttribute('aria-valuenow')).toBe('25');
    expect(bar.getAttribute('aria-valuetext')).toBe('1.3 GB of 5.2 GB · 65 MB/s · 1 min left');
    expect(all(app.root, 'button').map(nameOf)).not.toContain('Pull qwen3:8b');
    get(app.root, 'button', 'Cancel pulling qwen3:8b').click();
    await app.settle();
    expect(app.api.cancelPull).toHaveBeenCalledExactlyOnceWith({ name: 'qwen3:8b' });
  });

  it('takes any other name, and shows why a pull failed', async () => {
    app = await startApp({ ready: { models: none } });
    const field = get(app.root, 'textbox', 'Another model') as HTMLInputElement;
    field.value = ' mine:1b ';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    field.form?.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    await app.settle();
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'mine:1b' });
    app.port.emit('pulls', [{ ...pulling, name: 'mine:1b', status: 'failed', message: 'No such model.' }]);
    await app.settle();
    expect(spokenText(get(app.root, 'alert'))).toContain('No such model.');
    get(app.root, 'button', 'Pull mine:1b again').click();
    await app.settle();
    expect(app.api.pullModel).toHaveBeenCalledTimes(2);
  });
});
