import { afterEach, describe, expect, it } from 'vitest';
import { startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

async function press(name: string, root: Element = app.root): Promise<void> {
  get(root, 'button', name).click();
  await app.settle();
}

describe('a model that the server does not have', () => {
  const missing = () => {
    const log = new TestLog();
    log.user('one');
    log.add('error', 'The model “gone” is not installed.', {
      code: 'modelNotFound',
      actions: ['pullModel', 'selectModel', 'retry'],
      model: 'gone',
    });
    log.add('run_end', '', { outcome: 'failed' });
    return log;
  };
  const error = () => get(app.root, 'group', 'Error');
  const buttons = () => all(error(), 'button').map(nameOf);
  const pulling = { name: 'gone', status: 'pulling', completed: 1, total: 4, bytesPerSecond: 1, message: null } as const;

  const select = async (agent: string | undefined) => {
    app.port.emit('models', { models: [tools], stale: false, selected: agent === undefined ? {} : { agent } });
    await app.settle();
  };
  const start = async () => {
    app = await startApp({ log: missing() });
    await select('gone');
  };

  it('is pulled from its error, which shows how far it is and then offers to try again', async () => {
    await start();
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await press('Pull gone', error());
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'gone' });
    app.port.emit('pulls', [pulling]);
    await app.settle();
    expect(get(error(), 'progressbar', 'Pulling gone').getAttribute('aria-valuenow')).toBe('25');
    expect(buttons()).toEqual(['Cancel pulling gone', 'Select model']);
    app.port.emit('pulls', [{ ...pulling, status: 'failed', message: 'No space left.' }]);
    await app.settle();
    expect(spokenText(error())).toContain('No space left.');
    expect(buttons()).toEqual(['Try again: gone', 'Dismiss gone', 'Select model']);
    app.port.emit('pulls', []);
    app.port.emit('models', { models: [tools, { ...tools, name: 'gone:latest' }], stale: false, selected: { agent: 'gone' } });
    await app.settle();
    expect(buttons()).toEqual(['Retry', 'Pull gone']);
    await press('Retry', error());
    expect(app.api.retry).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', model: 'gone' });
  });

  it('is tried again with another one once that is selected, and while it is pulled', async () => {
    await start();
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(tools.name);
    expect(buttons()).toEqual(['Retry', 'Pull gone']);
    await select('Gone:latest');
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(undefined);
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(tools.name);
    app.port.emit('pulls', [pulling]);
    await app.settle();
    expect(buttons()).toEqual(['Cancel pulling gone', 'Retry']);
    await press('Retry', error());
    expect(app.api.retry).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', model: tools.name });
  });

  it('is pulled first if the server listed it and did not find it', async () => {
    const models = { models: [{ ...tools, name: 'gone:latest' }], stale: false, selected: { agent: 'gone' } };
    app = await startApp({ log: missing(), ready: { models } });
    expect(buttons()).toEqual(['Pull gone', 'Retry']);
    expect(get(error(), 'button', 'Pull gone').className).toContain('primary');
    app.port.emit('pulls', [pulling]);
    await app.settle();
    app.port.emit('pulls', []);
    await app.settle();
    expect(buttons()).toEqual(['Retry', 'Pull gone']);
  });

  it('is pulled first, and leaves two ways at most, where the answer had begun', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'I beg', { end: 'stopped' });
    log.add('error', 'The model “gone” is not installed.', {
      code: 'modelNotFound',
      actions: ['pullModel', 'selectModel', 'retry'],
      model: 'gone',
    });
    log.add('run_end', '', { outcome: 'failed' });
    app = await startApp({ log });
    await select('gone');
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(tools.name);
    expect(buttons()).toEqual(['Continue', 'Retry']);
  });

  it('is offered by no error of long ago once it is there', async () => {
    const log = missing();
    log.user('two');
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    app.port.emit('models', { models: [{ ...tools, name: 'gone:latest' }], stale: false, selected: {} });
    await app.settle();
    expect(buttons()).toEqual(['Select model']);
  });
});
