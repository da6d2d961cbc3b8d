import { afterEach, describe, expect, it } from 'vitest';
import { noCompletions, settings, startApp, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

type Options = Parameters<typeof startApp>[0];

async function open(options: Options): Promise<void> {
  app = await startApp(options);
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  await press('tab', 'Autocomplete');
}

async function press(role: string, name: string): Promise<void> {
  get(app.root, role, name).click();
  await app.settle();
}

const chosen = {
  ...settings,
  settings: settings.settings.map((one) =>
    one.key === 'completionMode.model' ? { ...one, value: 'coder:1b', isSet: true } : one,
  ),
};
const completions = {
  models: [
    { name: 'coder:1b', size: 1e9, verdict: 'can' as const, words: 'Passed the self-test.' },
    { name: 'other:1b', size: 1e9, verdict: 'untested' as const, words: 'Not tested yet.' },
    { name: 'odd:1b', size: 1e9, verdict: 'cannot' as const, words: 'odd:1b failed the self-test.' },
    { name: 'chat:8b', size: 5e9, verdict: 'unfit' as const, words: 'chat:8b cannot fill in the middle of a text.' },
    { name: 'chat:14b', size: 9e9, verdict: 'unfit' as const, words: 'chat:14b cannot fill in the middle of a text.' },
  ],
  suggestions: [
    { name: 'coder:1b', size: 1e9, isInstalled: true },
    { name: 'qwen2.5-coder:3b-base', size: 1.9e9, isInstalled: false },
  ],
  figures: {
    ...noCompletions.figures,
    shown: 200,
    accepted: 50,
    acceptedChars: 1200,
    retained30: 0.9,
    requests: 80,
    saved: 300,
    latency: 142.4,
  },
};

describe('the tab Autocomplete', () => {
  it('lists models with their verdicts, chooses one, and tests one', async () => {
    await open({ completions, settings: chosen });
    const rows = all(get(app.root, 'list', 'Models for inline suggestions'), 'listitem').map(spokenText);
    expect(rows[0]).toContain('coder:1b');
    expect(rows[0]).toContain('In use');
    expect(rows[2]).toContain('odd:1b failed the self-test.');
    expect(rows).toHaveLength(3);
    expect(spokenText(app.root)).toContain('These models do not support fill-in-the-middle completion: chat:8b, chat:14b.');
    expect(has(app.root, 'button', 'Use chat:8b for inline suggestions')).toBe(false);
    await press('button', 'Use other:1b for inline suggestions');
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'completionMode.model', value: 'other:1b' });
    await press('button', 'Test this model: other:1b');
    expect(app.api.testCompletionModel).toHaveBeenCalledExactlyOnceWith({ model: 'other:1b' });
    expect(app.api.readCompletions).toHaveBeenCalledTimes(2);
  });

  it('shows a verdict that is found while the page is open, and never calls a model that failed the one in use', async () => {
    await open({ completions, settings: chosen });
    const words = 'coder:1b failed the self-test. Expected “second”, got no text.';
    app.port.emit('modelTested', { name: 'coder:1b', verdict: 'cannot', words });
    await app.settle();
    const row = () => spokenText(all(get(app.root, 'list', 'Models for inline suggestions'), 'listitem')[0] as HTMLElement);
    expect([row().includes(words), row().includes('Selected, not used'), row().includes('In use')]).toEqual([true, true, false]);
    app.port.emit('modelTested', { name: 'coder:1b', verdict: 'can', words: 'Passed the self-test.' });
    await app.settle();
    expect([row().includes('Passed the self-test.'), row().includes('In use')]).toEqual([true, true]);
    expect(app.api.readCompletions).toHaveBeenCalledOnce();
  });

  it('says why a test could not be made', async () => {
    await open({ completions });
    app.api.testCompletionModel.mockRejectedValueOnce(new Error('Ollama does not answer.'));
    await press('button', 'Test this model: other:1b');
    expect(all(app.root, 'alert').map(spokenText).join()).toContain('Ollama does not answer.');
  });

  it('offers models to pull that are not there, and shows the figures', async () => {
    await open({ completions });
    expect(has(app.root, 'button', 'Pull coder:1b')).toBe(false);
    await press('button', 'Pull qwen2.5-coder:3b-base');
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'qwen2.5-coder:3b-base' });
    const text = spokenText(app.root);
    for (const words of ['50 (25 %)', '1,200', '90 %', 'no data yet', '142 ms']) expect(text).toContain(words);
  });
});

describe('the offer of suggestions in an empty chat', () => {
  it('pulls and switches on, or goes away for good', async () => {
    app = await startApp({ offer: { name: 'qwen2.5-coder:1.5b-base', size: 986e6, isInstalled: false } });
    expect(nameOf(get(app.root, 'region', 'Inline suggestions'))).toBe('Inline suggestions');
    await press('button', 'Pull and turn on');
    expect(app.api.answerCompletionOffer).toHaveBeenCalledExactlyOnceWith({ model: 'qwen2.5-coder:1.5b-base', isWanted: true });
    expect(all(app.root, 'status').map(spokenText).join()).toContain(
      'Inline suggestions start when qwen2.5-coder:1.5b-base has been pulled.',
    );
    expect(has(app.root, 'region', 'Inline suggestions')).toBe(false);
  });

  const installed = { name: 'coder:1b', size: 1e9, isInstalled: true };
  const said = () => all(app.root, 'status').map(spokenText).join();

  it('says that suggestions are on only after the model has passed its test', async () => {
    app = await startApp({ offer: installed });
    let pass = (): void => undefined;
    app.api.testCompletionModel.mockImplementationOnce(
      ({ model }) => new Promise((done) => (pass = () => done({ name: model, size: 1e9, verdict: 'can', words: '' }))),
    );
    await press('button', 'Turn on');
    expect(said()).toContain('Testing coder:1b…');
    expect(said()).not.toContain('Inline suggestions are on');
    pass();
    await app.settle();
    expect(said()).toContain('Inline suggestions are on, with coder:1b.');
  });

  it('says why the model failed its test, tests it again, and leads to the other models', async () => {
    app = await startApp({ offer: installed });
    const words = 'coder:1b failed the self-test. Expected “second”, got no text.';
    app.api.testCompletionModel.mockResolvedValueOnce({ name: 'coder:1b', size: 1e9, verdict: 'cannot', words });
    await press('button', 'Turn on');
    expect(said()).toContain(words);
    expect(said()).not.toContain('Inline suggestions are on');
    app.api.testCompletionModel.mockRejectedValueOnce(new Error('Ollama does not answer.'));
    await press('button', 'Test this model again');
    expect(said()).toContain(`There are no inline suggestions yet: Ollama does not answer.`);
    await press('button', 'Choose another model');
    expect(get(app.root, 'tab', 'Autocomplete').getAttribute('aria-selected')).toBe('true');
  });

  it('is not there without an offer', async () => {
    app = await startApp();
    expect(has(app.root, 'region', 'Inline suggestions')).toBe(false);
  });
});
