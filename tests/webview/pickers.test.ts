import { afterEach, describe, expect, it } from 'vitest';
import { tools, embedding, noTools, startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, descriptionOf, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

describe('the pickers', () => {
  it('choose a mode by keyboard', async () => {
    app = await startApp();
    const button = get(app.root, 'button', 'Mode: Agent');
    expect(button.getAttribute('aria-haspopup')).toBe('listbox');
    button.focus();
    await app.press('ArrowDown');
    const list = get(app.root, 'listbox', 'Mode');
    expect(document.activeElement).toBe(list);
    expect(all(list, 'option').map(nameOf)).toEqual(['Agent', 'Plan', 'Ask', 'Edit']);
    await app.press('End');
    await app.press('Enter');
    expect(app.api.selectMode).toHaveBeenCalledWith({ mode: 'edit' });
    expect(nameOf(document.activeElement as Element)).toBe('Mode: Edit');
    expect(has(app.root, 'listbox')).toBe(false);
  });

  it('stay open when the chat asks for the focus late', async () => {
    app = await startApp();
    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    app.port.emit('focusComposer', {});
    await app.settle();
    expect(document.activeElement).toBe(get(app.root, 'listbox', 'Mode'));
    await app.press('Escape');
    app.port.emit('focusComposer', {});
    await app.settle();
    expect(document.activeElement).toBe(get(app.root, 'textbox', 'Message'));
  });

  it('choose a model by typing its first letters, and offer only those that chat', async () => {
    app = await startApp();
    get(app.root, 'button', `Model: ${tools.name}`).click();
    await app.settle();
    const options = all(app.root, 'option');
    expect(options.map(nameOf)).toEqual([tools.name, noTools.name]);
    expect(options.map(descriptionOf)).toEqual([
      '9.3 GB · context window up to 40k · in memory , tools , thinking'.replaceAll(' ,', ','),
      '8.1 GB · context window up to 128k, vision no tools',
    ]);
    await app.press('g');
    await app.press('e');
    const active = get(app.root, 'listbox').getAttribute('aria-activedescendant');
    expect(document.getElementById(active ?? '')?.getAttribute('aria-label')).toBe(noTools.name);
    await app.press('Enter');
    expect(app.api.selectModel).toHaveBeenCalledWith({ mode: 'agent', model: noTools.name });
  });

  it('show what was measured of a model, and claim nothing of others', async () => {
    const figures = {
      loadMs: 2300,
      long: null,
      cache: null,
      largest: null,
      ownWindow: null,
      short: { promptTokens: 300, promptRate: 900, answerRate: 31.4 },
      memory: { size: 8.2e9, vram: 8.2e9, window: 16_384 },
    };
    const memory = { size: 8e9, vram: 5e9, window: 8192 };
    const partly = { ...noTools, figures: { ...figures, short: null, memory } };
    const unloaded = { ...tools, name: 'other:8b', loaded: false, figures: { ...figures, memory: null } };
    const list = [{ ...tools, figures }, partly, unloaded];
    app = await startApp({ ready: { models: { models: list, stale: false, selected: { agent: tools.name } } } });
    get(app.root, 'button', `Model: ${tools.name}`).click();
    await app.settle();
    expect(all(app.root, 'option').map(descriptionOf)).toEqual([
      '8.2 GB · all on the GPU · 31 tok/s · context window 16k · in memory, tools, thinking',
      '8.0 GB · 62% on the GPU · context window 8k, vision no tools',
      '9.3 GB · context window up to 40k, tools, thinking',
    ]);
  });

  it('say that a mode uses its own model instead of the picked one', async () => {
    const selected = { agent: tools.name, ask: tools.name, plan: 'own:1b' };
    app = await startApp({ ready: { models: { models: [tools], stale: false, selected, ownModes: ['plan'] } } });
    const note = 'own:1b: set for Plan mode in the settings';
    expect(app.root.textContent).not.toContain(note);
    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    get(app.root, 'option', 'Plan').click();
    await app.settle();
    expect(has(app.root, 'button', 'Model: own:1b')).toBe(true);
    expect(app.root.textContent).toContain(note);
  });

  it('keep the model that was just chosen, whatever is told of before it was saved', async () => {
    app = await startApp();
    let saved = (): void => undefined;
    app.api.selectModel.mockReturnValueOnce(new Promise((resolve) => (saved = () => resolve({}))));
    get(app.root, 'button', `Model: ${tools.name}`).click();
    await app.settle();
    await app.press('End');
    await app.press('Enter');
    const told = (agent: string) => app.port.emit('models', { models: [tools, noTools], stale: false, selected: { agent } });
    told(tools.name);
    await app.settle();
    expect(has(app.root, 'button', `Model: ${noTools.name}`)).toBe(true);
    saved();
    await app.settle();
    expect(has(app.root, 'button', `Model: ${noTools.name}`)).toBe(true);
    told(tools.name);
    await app.settle();
    expect(has(app.root, 'button', `Model: ${tools.name}`)).toBe(true);
  });

  it('list the model that is chosen though it cannot chat, say so, and do not choose it again', async () => {
    app = await startApp({
      ready: { models: { models: [tools, embedding], stale: false, selected: { agent: embedding.name, ask: tools.name } } },
    });
    get(app.root, 'button', `Model: ${embedding.name}`).click();
    await app.settle();
    const options = all(app.root, 'option');
    expect(options.map((option) => [nameOf(option), option.getAttribute('aria-disabled')])).toEqual([
      [tools.name, 'false'],
      [embedding.name, 'true'],
    ]);
    expect(descriptionOf(options[1] as Element)).toContain('cannot chat');
    await app.press('Enter');
    expect(has(app.root, 'listbox')).toBe(true);
    await app.press('Home');
    await app.press('Enter');
    expect(app.api.selectModel).toHaveBeenCalledExactlyOnceWith({ mode: 'agent', model: tools.name });
  });

  it('close with Escape without stopping a run, and with a press outside', async () => {
    const log = new TestLog();
    log.user('Hello');
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    await app.press('Escape');
    expect(has(app.root, 'listbox')).toBe(false);
    expect(nameOf(document.activeElement as Element)).toBe('Mode: Agent');
    expect(app.api.stop).not.toHaveBeenCalled();

    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    get(app.root, 'textbox', 'Message').dispatchEvent(new Event('pointerdown', { bubbles: true }));
    await app.settle();
    expect(has(app.root, 'listbox')).toBe(false);
    await app.press('Escape');
    expect(app.api.stop).toHaveBeenCalledWith({ sessionId: 's1' });
  });
});
