import { afterEach, describe, expect, it } from 'vitest';
import type { ModelOption } from '../../src/protocol/webviewEvents';
import { startApp, type TestApp } from './support/fakeHost';
import { get, has } from './support/roles';

const model: ModelOption = {
  name: 'gpt-oss:20b',
  size: 1,
  contextLength: null,
  parameterSize: null,
  enabled: true,
  loaded: false,
  isCloud: false,
  capabilities: { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true },
};
let app: TestApp;
afterEach(() => app?.wrapper.unmount());

const open = async (thinking: ModelOption['thinking']) => {
  const models = { models: [{ ...model, ...(thinking && { thinking }) }], stale: false, selected: { agent: model.name } };
  app = await startApp({ ready: { models } });
  await app.settle();
};

describe('levels of thinking', () => {
  it('are offered as the server names them, and one is chosen for the model', async () => {
    await open({ values: ['low', 'medium', 'high'], default: 'medium', chosen: null });
    get(app.root, 'button', 'Thinking: medium').click();
    await app.settle();
    const list = get(app.root, 'listbox', 'Thinking');
    expect(list.textContent).toContain('default');
    get(list, 'option', 'high').click();
    await app.settle();
    expect(app.api.setThink).toHaveBeenCalledExactlyOnceWith({ name: model.name, think: 'high' });
  });

  it('are words where the server says yes and no', async () => {
    await open({ values: [true, false], default: true, chosen: false });
    get(app.root, 'button', 'Thinking: does not think').click();
    await app.settle();
    get(get(app.root, 'listbox', 'Thinking'), 'option', 'thinks').click();
    await app.settle();
    expect(app.api.setThink).toHaveBeenCalledExactlyOnceWith({ name: model.name, think: true });
  });

  it('are not offered where nobody knows any', async () => {
    await open(undefined);
    expect(has(app.root, 'button', 'Thinking: default')).toBe(false);
  });
});
