import { afterEach, describe, expect, it } from 'vitest';
import type { PullState } from '../../src/protocol/webviewEvents';
import { embedding, startApp, tools, type TestApp } from './support/fakeHost';
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

  it('leads from restricted mode to the trust of the folder', async () => {
    app = await startApp({ ready: { workspace: { name: 'sample', hasFolder: true, isTrusted: false } } });
    expect(spokenText(app.root)).toContain('Restricted Mode');
    get(app.root, 'button', 'Manage trust').click();
    await app.settle();
    expect(app.api.runCommand).toHaveBeenCalledExactlyOnceWith({ command: 'manageTrust' });
  });

  it('has one text box, and attaches the workspace to the next message on demand', async () => {
    app = await startApp({});
    expect(all(app.root, 'textbox').map(nameOf)).toEqual(['Message']);
    const composer = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    composer.value = 'Where are prices rounded?';
    composer.dispatchEvent(new Event('input', { bubbles: true }));
    get(app.root, 'button', 'Ask about this workspace').click();
    await app.settle();
    expect(document.activeElement).toBe(composer);
    get(app.root, 'button', 'Send').click();
    await app.settle();
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        text: 'Where are prices rounded?',
        attachments: [{ kind: 'workspace', path: '@workspace' }],
      }),
    );
  });

  it('says once that no server was found, or why it cannot be reached', async () => {
    const lost = { ...connection, state: 'unreachable', version: null } as const;
    const silent = 'Ollama does not respond at http://localhost:11434. Start Ollama, or change the server address.';
    app = await startApp({ ready: { models: none, connection: { ...lost, message: silent, isSilent: true } } });
    expect(spokenText(app.root)).toContain('No response from http://localhost:11434');
    expect(spokenText(app.root)).not.toContain('does not respond');
    app.port.emit('connection', { ...lost, message: 'The certificate of the server is not trusted.' });
    await app.settle();
    expect(spokenText(app.root)).toContain('The certificate of the server is not trusted.');
    expect(spokenText(app.root)).not.toContain('No answer');
  });

  it('suggests models that fit what was measured, and dates their sizes', async () => {
    app = await startApp({ ready: { models: { ...none, stale: true } } });
    const suggestions = [{ name: 'qwen3:8b', size: 5.2e9 }];
    app.api.suggestModels.mockResolvedValueOnce({ suggestions, memory: 7.5e9, kind: 'gpu', asOf: '2026-08' });
    app.port.emit('models', none);
    await app.settle();
    const text = spokenText(app.root);
    expect(text).toContain('Pull a model that supports tools and fits in 7.5 GB on the GPU, as measured:');
    expect(text).toContain('Sizes in Ollama’s library as of August 2026.');
  });

  it('says in WSL how to reach an Ollama on Windows', async () => {
    const where = { system: 'wsl', windowsHost: '172.240.32.1' } as const;
    app = await startApp({
      ready: { models: none, ...where, connection: { ...connection, state: 'unreachable', version: null } },
    });
    expect(spokenText(app.root)).toContain('set OLLAMA_HOST=0.0.0.0 there');
    expect(spokenText(app.root)).toContain('http://172.240.32.1:11434');
    expect(spokenText(app.root)).toContain('install.sh');
    app.wrapper.unmount();
    app = await startApp({
      ready: { models: none, ...where, windowsHost: null, connection: { ...connection, state: 'unreachable', version: null } },
    });
    expect(spokenText(app.root)).toContain('set OLLAMA_HOST=0.0.0.0 there');
    expect(spokenText(app.root)).not.toContain('http://172');
  });

  it('does not say that there are no models before the server has told, and says why it could not', async () => {
    app = await startApp({ ready: { models: { ...none, stale: true } } });
    expect(spokenText(app.root)).toContain('Getting the list of models…');
    expect(spokenText(app.root)).not.toContain('No models yet');
    app.port.emit('models', { ...none, stale: true, problem: 'Ollama reported an error: “disk failure”.' });
    await app.settle();
    expect(spokenText(app.root)).toContain('Could not list the models');
    expect(spokenText(app.root)).toContain('“disk failure”');
    get(app.root, 'button', 'Check again').click();
    await app.settle();
    expect(app.api.refreshModels).toHaveBeenCalled();
    app.port.emit('models', none);
    await app.settle();
    expect(spokenText(app.root)).toContain('No models yet');
    expect(app.api.suggestModels).toHaveBeenCalled();
  });

  it('says what else keeps an answer away: no model that can chat, a wrong server, a missing token', async () => {
    app = await startApp({ ready: { models: { ...none, models: [embedding, { ...tools, enabled: false }] } } });
    expect(spokenText(app.root)).toContain('None of your models can chat');
    expect(spokenText(app.root)).toContain('models are hidden');
    get(app.root, 'button', 'Open settings').click();
    await app.settle();
    expect(get(app.root, 'tab', 'Models').getAttribute('aria-selected')).toBe('true');
    get(app.root, 'button', 'Back to chat').click();
    await app.settle();
    app.port.emit('connection', { ...connection, state: 'error', message: 'That was HTML.' });
    await app.settle();
    expect(spokenText(app.root)).toContain('Unexpected response from the server');
    expect(spokenText(app.root)).toContain('That was HTML.');
    app.port.emit('connection', { ...connection, state: 'unauthorized', message: null });
    await app.settle();
    expect(spokenText(app.root)).toContain('The server requires an access token');
    get(app.root, 'button', 'Enter access token').click();
    await app.settle();
    expect(app.api.runCommand).toHaveBeenCalledWith({ command: 'setBearerToken' });
  });

  it('leaves a way to the settings while it looks, and gives no advice for this machine about another one', async () => {
    app = await startApp({ ready: { models: none, connection: { ...connection, state: 'unknown', version: null } } });
    expect(spokenText(app.root)).toContain('Looking for Ollama…');
    get(app.root, 'button', 'Open settings').click();
    await app.settle();
    expect(get(app.root, 'tab', 'Connection').getAttribute('aria-selected')).toBe('true');
    get(app.root, 'button', 'Back to chat').click();
    await app.settle();
    app.port.emit('connection', { ...connection, state: 'unreachable', version: null, message: null });
    await app.settle();
    expect(spokenText(app.root)).toContain('No response from http://localhost:11434 (127.0.0.1, ::1).');
    expect(spokenText(app.root)).toContain('ollama serve');
    app.port.emit('connection', {
      ...connection,
      baseUrl: 'http://gpu-box:11434',
      state: 'unreachable',
      version: null,
      message: null,
    });
    await app.settle();
    expect(spokenText(app.root)).toContain('No response from http://gpu-box:11434.');
    expect(spokenText(app.root)).not.toContain('ollama serve');
  });

  it('offers models that fit, pulls one with progress, and cancels it', async () => {
    app = await startApp({ ready: { models: none } });
    expect(spokenText(app.root)).toContain('fits in 16 GB of memory');
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

  it('goes on to show a pull when another model can be asked already', async () => {
    app = await startApp();
    app.port.emit('pulls', [pulling]);
    await app.settle();
    expect(spokenText(app.root)).toContain('What would you like to do in sample?');
    get(get(app.root, 'list', 'Models being pulled'), 'button', 'Cancel pulling qwen3:8b').click();
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
    get(app.root, 'button', 'Try again: mine:1b').click();
    await app.settle();
    expect(app.api.pullModel).toHaveBeenCalledTimes(2);
  });
});
