import { readFileSync } from 'node:fs';
import { LogBuilder } from '../entries.mjs';

export const now = Date.now();
const all = { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true };
const model = (name, size, contextLength, more = {}) => ({
  name,
  size,
  contextLength,
  parameterSize: null,
  enabled: true,
  loaded: false,
  isCloud: false,
  ...more,
  capabilities: { ...all, ...more.capabilities },
});

export const models = {
  models: [
    model('qwen3:14b', 9.3e9, 40960, { loaded: true, families: ['qwen3'], modifiedAt: '2026-03-14T10:00:00Z' }),
    model('gemma3:12b', 8.1e9, 131072, { capabilities: { tools: false, vision: true, thinking: false } }),
    model('llama3.2:3b', 2e9, 131072, { capabilities: { thinking: false } }),
    model('hf.co/somebody/A-Very-Long-Model-Name-Instruct-GGUF:Q4_K_M', 21.4e9, 8192, { capabilities: { thinking: false } }),
  ],
  stale: false,
  selected: { agent: 'qwen3:14b', plan: 'qwen3:14b', ask: 'gemma3:12b', edit: 'qwen3:14b' },
};

export const connection = {
  state: 'connected',
  baseUrl: 'http://localhost:11434',
  version: '0.12.6',
  message: null,
  demo: false,
};
export const ready = {
  sessionId: null,
  mode: 'agent',
  workspace: { name: 'signup-sample', hasFolder: true, isTrusted: true },
  models,
  pulls: [],
  windowsHost: null,
  system: 'linux',
  connection,
  storage: { state: 'open', problem: null },
  inEditor: [],
  grants: { commands: false, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] },
  l10n: {},
};

export const imageItem = (path) => ({
  kind: 'image',
  path,
  image: { hash: 'a'.repeat(64), type: 'image/png', width: 160, height: 90 },
});

export const noModels = { models: [], stale: false, selected: {} };
export const pull = (name) => ({ name, status: 'pulling', completed: 0, total: 9.3e9, bytesPerSecond: null, message: null });
export const suggestions = {
  suggestions: [
    { name: 'qwen3:14b', size: 9.3e9 },
    { name: 'qwen3:8b', size: 5.2e9 },
    { name: 'qwen3:4b', size: 2.5e9 },
  ],
  memory: 16e9,
  kind: 'computer',
  asOf: '2026-08',
};

export const german = JSON.parse(readFileSync(new URL('../../../l10n/bundle.l10n.de.json', import.meta.url), 'utf8'));
export const contextOf = (system, attachments, history, toolResults, more = {}) => ({
  model: 'qwen3:14b',
  window: 32768,
  loaded: { window: 32768, gpuShare: 1 },
  isMeasured: true,
  reused: 0.94,
  instructions: [{ shown: 'AGENTS.md', isLeftOut: false, hidden: 0 }],
  tools: { sent: [], loadable: [], leftOut: [] },
  used: system + attachments + history + toolResults,
  parts: Object.entries({ system: system - 1240, tools: 1000, instructions: 240, attachments, history, toolResults }).map(
    ([kind, tokens]) => ({ kind, tokens }),
  ),
  ...more,
});

export const context = contextOf(1840, 0, 3412, 4472);
export const scenario = (parts) => ({ ready, sessions: {}, history: [], state: undefined, context, ...parts });
export const inAsk = { ...models, selected: { agent: null, ask: 'qwen3:14b' } };
export const session = (log, run, more = {}) =>
  scenario({ ...more, ready: { ...ready, ...more.ready, sessionId: 's1' }, sessions: { s1: log.snapshot(run) } });

export const running = (activity) => ({ state: 'running', activity });
export const ask = 'Add input validation to the signup form';
export const failed = (text, code, actions, detail) =>
  session(new LogBuilder().user(ask).add('error', text, { code, actions, detail }).done('failed'), {});

export const cloudModel = model('gpt-oss:120b-cloud', 0, 131072, { isCloud: true, parameterSize: '117B' });
