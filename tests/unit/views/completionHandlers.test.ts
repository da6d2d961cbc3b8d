import { editor } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { Settings } from '../../../src/config/settings';
import { systemClock } from '../../../src/utils/clock';
import {
  completionHandlers,
  type CompletionAccess,
  type CompletionServices,
} from '../../../src/views/handlers/completionHandlers';

describe('what the view asks about suggestions', () => {
  const kept = new Map<string, unknown>();
  const memento = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
  const began: string[] = [];
  const installed: { name: string }[] = [];
  const options: Awaited<ReturnType<CompletionAccess['models']['options']>> = [];
  const counted = [
    { counts: { shown: 10, accepted: 4, judged30: 100, retained30: 90, answers: 2, waitedMs: 300 } },
    { counts: { shown: 10, accepted: 1, saved: 7, requests: 3 } },
  ];
  const services = {
    completions: async () => ({ models: { options: async () => options }, countsSince: async () => counted }),
    settings: new Settings({ get: (key) => editor.userSettings.get(`ollamaCopilot.${key}`) }, () => undefined),
    connection: { state: { state: 'connected', baseUrl: 'http://far.example:11434' } },
    catalog: { state: async () => ({ models: installed }) },
    actions: { begin: (name: string) => began.push(name) },
    clock: systemClock,
  } as unknown as CompletionServices;
  const api = completionHandlers(services, memento as unknown as vscode.Memento);
  afterEach(() => {
    kept.clear();
    editor.userSettings.clear();
    began.length = 0;
    installed.length = 0;
    options.length = 0;
  });

  it('adds up the last 30 days, and knows nothing of what nobody looked at', async () => {
    const { figures, suggestions } = await api.readCompletions({});
    assert.deepEqual(figures, {
      shown: 20,
      accepted: 5,
      acceptedChars: 0,
      requests: 3,
      saved: 7,
      retained30: 0.9,
      retained300: null,
      latency: 150,
    });
    assert.deepEqual(
      suggestions.map(({ name }) => name),
      ['qwen2.5-coder:1.5b-base', 'qwen2.5-coder:3b-base'],
    );
  });

  it('offers an installed model that may fill in the middle before one to pull: proven, suggested or small ones first', async () => {
    const words = '';
    options.push(
      { name: 'llama3.2:3b', size: 2e9, verdict: 'unfit', words },
      { name: 'odd:1b', size: 1e9, verdict: 'cannot', words },
    );
    const offered = async () => (await api.completionOffer({})).offer;
    assert.equal((await offered())?.isInstalled, false);
    options.push({ name: 'codestral:22b', size: 13e9, verdict: 'untested', words });
    assert.deepEqual(await offered(), { name: 'codestral:22b', size: 13e9, isInstalled: true });
    options.push({ name: 'starcoder2:3b', size: 1.7e9, verdict: 'untested', words });
    assert.equal((await offered())?.name, 'starcoder2:3b');
    options.push({ name: 'qwen2.5-coder:3b-base', size: 1.9e9, verdict: 'untested', words });
    assert.equal((await offered())?.name, 'qwen2.5-coder:3b-base');
    options.push({ name: 'codegemma:7b-code', size: 5e9, verdict: 'can', words });
    assert.equal((await offered())?.name, 'codegemma:7b-code');
  });

  it('offers the quick model where none is there, and is silent once it was answered or a model is chosen', async () => {
    assert.equal((await api.completionOffer({})).offer?.name, 'qwen2.5-coder:1.5b-base');
    await api.answerCompletionOffer({ model: 'qwen2.5-coder:3b-base', isWanted: false });
    assert.deepEqual([(await api.completionOffer({})).offer, began], [null, []]);
    kept.clear();
    editor.userSettings.set('ollamaCopilot.completionMode.model', 'coder');
    assert.equal((await api.completionOffer({})).offer, null);
  });

  it('chooses a model that is wanted, and pulls it where it is not there', async () => {
    await api.answerCompletionOffer({ model: 'qwen2.5-coder:1.5b-base', isWanted: true });
    assert.deepEqual(began, ['qwen2.5-coder:1.5b-base']);
    assert.equal(editor.userSettings.get('ollamaCopilot.completionMode.model'), 'qwen2.5-coder:1.5b-base');
  });
});
