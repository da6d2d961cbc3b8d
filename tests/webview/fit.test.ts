import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryPlan } from '../../src/protocol/requests/fitRequests';
import { RequestFailure } from '../../src/protocol/rpc';
import { noFigures, type ModelFigures } from '../../src/types/modelFigures';
import { embedding, noTools, startApp, tools, type TestApp } from './support/fakeHost';
import { get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const figures: ModelFigures = {
  loadMs: 2345,
  short: { promptTokens: 310, promptRate: 850.4, answerRate: 31.4 },
  long: { promptTokens: 4000, promptRate: null, answerRate: 28 },
  memory: { size: 8.2e9, vram: 8.2e9, window: 16_384 },
  cache: { bytesPerToken: 131_072, isUpperBound: true },
  largest: { tokens: 24_576 },
  ownWindow: null,
};
const selected = { agent: tools.name };
const state = (own: Partial<ModelFigures> = {}) => ({
  models: [{ ...tools, figures: { ...figures, ...own } }, noTools, embedding],
  stale: false,
  selected,
});

async function open(plan?: MemoryPlan): Promise<void> {
  app = await startApp({ ready: { models: state() } });
  if (plan !== undefined) app.api.readMemoryPlan.mockResolvedValue(plan);
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  await press('tab', 'Models');
}

async function press(role: string, name: string): Promise<void> {
  get(app.root, role, name).click();
  await app.settle();
}

const fit = () => spokenText(get(app.root, 'region', 'Hardware fit'));
const memory = () => spokenText(get(app.root, 'region', 'Memory plan'));

describe('hardware fit', () => {
  it('shows what was measured, and claims nothing of another model', async () => {
    await open();
    const text = fit();
    for (const part of [
      '8.2 GB · all on the GPU · 28 tok/s · context window 16k',
      'Load: 2.3 s',
      'Short prompt: processes 310 tokens at 850 tok/s, writes 31 tok/s',
      'Long prompt: writes 28 tok/s',
      'Cache per token: at most 131 KB',
      'Largest context window on the GPU: 24k tokens',
    ])
      expect(text).toContain(part);
    expect(text.slice(text.indexOf(noTools.name))).toContain('Not measured yet.');
    expect(text).not.toContain(embedding.name);
  });

  it('loads nothing until it is asked to measure, and says what came of it', async () => {
    await open();
    expect([app.api.measureModel, app.api.findWindow].map((api) => api.mock.calls.length)).toEqual([0, 0]);
    await press('button', `Measure ${noTools.name}`);
    expect(app.api.measureModel).toHaveBeenCalledExactlyOnceWith({ name: noTools.name });
    expect(fit()).toContain('Measured.');
    app.api.measureModel.mockRejectedValueOnce(new RequestFailure('fit', 'A chat is using the server.'));
    await press('button', `Measure ${noTools.name}`);
    expect(spokenText(get(app.root, 'alert'))).toContain('A chat is using the server.');
  });

  it('finds the largest window, step by step, and can be cancelled', async () => {
    await open();
    let end = (): void => undefined;
    const found = { found: { tokens: 24_576, loads: 3, hasGpu: true } };
    app.api.findWindow.mockReturnValueOnce(new Promise((resolve) => (end = () => resolve(found))));
    await press('button', `Find largest context: ${tools.name}`);
    app.port.emit('fit', { model: tools.name, kind: 'search', step: 2, of: 5 });
    await app.settle();
    expect(fit()).toContain('Loading 2 of at most 5…');
    expect((get(app.root, 'button', `Measure ${noTools.name}`) as HTMLButtonElement).disabled).toBe(true);
    await press('button', `Cancel measuring ${tools.name}`);
    expect(app.api.cancelFit).toHaveBeenCalledOnce();
    app.port.emit('fit', null);
    end();
    await app.settle();
    expect(fit()).toContain('Found a context window of 24k tokens after loading the model 3 times.');
  });

  it('uses the found window for the model, and follows the settings again', async () => {
    await open();
    await press('button', `Use this context window: ${tools.name}`);
    expect(app.api.setModelWindow).toHaveBeenLastCalledWith({ name: tools.name, tokens: 24_576 });
    app.port.emit('models', state({ ownWindow: 24_576 }));
    await app.settle();
    expect(has(app.root, 'button', `Use this context window: ${tools.name}`)).toBe(false);
    expect(fit()).toContain('Chats use a context window of 24k tokens.');
    await press('button', `Use context window from settings: ${tools.name}`);
    expect(app.api.setModelWindow).toHaveBeenLastCalledWith({ name: tools.name, tokens: null });
  });

  it('claims no window without a GPU', async () => {
    await open();
    app.api.findWindow.mockResolvedValueOnce({ found: { tokens: null, loads: 2, hasGpu: false } });
    await press('button', `Find largest context: ${noTools.name}`);
    expect(fit()).toContain('The server used only the CPU for this model, so no context window fits on the GPU.');
  });
});

describe('the memory plan', () => {
  it('is being loaded until it is there, and names the server as the reason only if that does not respond', async () => {
    app = await startApp({ ready: { models: state() } });
    app.api.readMemoryPlan.mockReturnValue(new Promise(() => undefined));
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    await press('tab', 'Models');
    expect(memory()).toContain('Loading memory plan');
    expect(memory()).not.toContain('does not respond');
    const connection = { baseUrl: 'http://localhost:11434', version: null, demo: false } as const;
    app.port.emit('connection', { ...connection, state: 'unreachable', message: 'Not reachable' });
    await app.settle();
    expect(memory()).toContain('The server does not respond. Start Ollama to see the plan.');
    app.port.emit('connection', { ...connection, state: 'unauthorized', message: 'The server requires a token.' });
    await app.settle();
    expect(memory()).toContain('The server requires a token.');
  });

  const plan: MemoryPlan = {
    models: [
      { name: tools.name, uses: ['agent', 'plan'], bytes: 8.2e9, certainty: 'measured', isLoaded: true },
      { name: 'fim:3b', uses: ['completion'], bytes: 2.5e9, certainty: 'estimated', isLoaded: false },
      { name: embedding.name, uses: ['embedding'], bytes: 2e8, certainty: 'atLeast', isLoaded: false },
    ],
    total: 10.9e9,
    isComplete: false,
    room: { bytes: 8.5e9, kind: 'gpu' },
    evicted: [embedding.name, 'fim:3b'],
    isTooLarge: false,
  };

  it('says what the models need together, what is evicted, and unloads one', async () => {
    await open(plan);
    const text = memory();
    for (const part of [
      'Agent, Plan 8.2 GB, measured · in memory',
      'inline suggestions about 2.5 GB',
      'search at least 200 MB',
      'Total: at least 11 GB.',
      'Measured GPU memory for models: 8.5 GB.',
      `Models that are unloaded while a chat runs: ${embedding.name}, fim:3b.`,
    ])
      expect(text).toContain(part);
    await press('button', `Unload ${tools.name} from memory`);
    expect(app.api.unloadModel).toHaveBeenCalledExactlyOnceWith({ name: tools.name });
    expect(has(app.root, 'button', 'Unload fim:3b from memory')).toBe(false);
  });

  it('suggests models that fit the measured memory and are not there yet', async () => {
    const suggestions = [
      { name: tools.name, size: 9.3e9 },
      { name: 'qwen3:8b', size: 5.2e9 },
    ];
    app = await startApp({ ready: { models: state() } });
    app.api.readMemoryPlan.mockResolvedValue(plan);
    app.api.suggestModels.mockResolvedValue({ suggestions, memory: 8.5e9, kind: 'gpu', asOf: '2026-08' });
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    await press('tab', 'Models');
    expect(memory()).toContain('Models that support tools and fit on the GPU: qwen3:8b 5.2 GB');
    expect(has(app.root, 'button', `Pull ${tools.name}`)).toBe(false);
    await press('button', 'Pull qwen3:8b');
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'qwen3:8b' });
  });

  it('is read again when a model was loaded or unloaded', async () => {
    await open(plan);
    const before = app.api.readMemoryPlan.mock.calls.length;
    app.port.emit('models', { ...state(), models: [{ ...tools, loaded: false, figures: noFigures }] });
    await app.settle();
    expect(app.api.readMemoryPlan.mock.calls.length).toBe(before + 1);
  });

  it('claims nothing of a GPU that no model has filled', async () => {
    await open({ ...plan, isComplete: true, room: null, evicted: [] });
    expect(memory()).toContain('The GPU memory is not known yet.');
    expect(memory()).not.toContain('evicts');
    expect(memory()).not.toContain('Models with tools');
  });
});
