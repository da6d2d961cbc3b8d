import { cloudModel, connection, german, models, noModels, now, pull, ready, scenario, suggestions } from './base.mjs';

const saved = (key, value, byDefault, more = {}) => ({
  key,
  value,
  default: byDefault,
  isSet: JSON.stringify(value) !== JSON.stringify(byDefault),
  scope: 'user',
  problem: null,
  ...more,
});

const allSettings = {
  settings: [
    saved('baseUrl', 'http://localhost:11434', 'http://localhost:11434'),
    saved('storagePath', '', ''),
    saved('contextWindow', 16000, 16000),
    saved('agentMode.model', 'qwen3:14b', ''),
    saved('askMode.model', '', ''),
    saved('agentMode.temperature', 0.2, 0.2),
    saved('askMode.temperature', 0.5, 0.7),
    saved('agentMode.maxTokens', -1, -1),
    saved('askMode.maxTokens', -1, -1),
    saved('agent.maxIterations', 25, 25),
    saved('agent.toolTimeout', 30000, 30000),
    saved('agent.maxActiveSessions', 1, 1),
    saved('agent.maxContextWindow', 32768, 65536),
    saved('agent.autoApproveCommands', false, false),
    saved('agent.sensitiveFilePatterns', { 'docs/**': true, 'docs/keys/**': false }, {}),
    saved('agent.keepAlive', '30m', '30m'),
    saved('checkpoints.enabled', true, true),
    saved('checkpoints.aroundCommands', true, true),
    saved('checkpoints.maxFileSizeMB', 50, 50),
    saved('checkpoints.maxStorageMB', 5000, 5000),
    saved('checkpoints.exclude', ['*.iso', 'data/recordings/of/the/whole/year/'], []),
    saved('agent.disabledTools', ['files__move_file'], []),
    saved('agent.editorTools', [], []),
    saved('mcp.servers', {}, {}),
    saved('planMode.temperature', 0.4, 0.4),
    saved('completionMode.model', 'qwen2.5-coder:1.5b-base', ''),
    saved('completionMode.languages', { markdown: false, '*': true }, {}),
    saved('agent.instructionFiles', ['AGENTS.md'], ['AGENTS.md', 'CLAUDE.md']),
    saved('chat.implicitContext', true, true),
    saved('languageModels.provide', true, true),
    saved('api.enabled', false, false),
    saved('api.port', 0, 0),
  ],
  folder: '/home/robin/.config/Code/User/globalStorage/ollama-copilot.ollama-copilot/3f1c9a0d',
  hasToken: false,
};

/** Settings with problems, and settings that the workspace can influence. */
const oddSettings = {
  ...allSettings,
  settings: allSettings.settings.map((setting) =>
    setting.key === 'baseUrl'
      ? { ...setting, value: 'gpu-box:11434', isSet: true, problem: 'Enter an address that starts with http:// or https://.' }
      : setting.key === 'contextWindow'
        ? { ...setting, workspaceValue: 4096 }
        : setting,
  ),
  hasToken: true,
};

/** A search index while the code is being embedded. */
const index = {
  isEnabled: true,
  isComplete: true,
  isPaused: false,
  isFull: false,
  isDamaged: false,
  files: 412,
  chunks: 5_310,
  vectors: 1_840,
  bytes: 18.4e6,
  rate: 6.2,
  model: 'nomic-embed-text',
  suggestion: null,
  lance: null,
  shared: null,
};

export const settingsPage = (steps, parts = {}) => ({
  ...scenario({ settings: allSettings, suggestions, ...parts }),
  do: ['settings', ...steps],
});

const completions = {
  models: [
    { name: 'qwen2.5-coder:1.5b-base', size: 1e9, verdict: 'can', words: 'Passed the self-test.' },
    { name: 'starcoder2:3b', size: 1.7e9, verdict: 'untested', words: 'Not tested yet.' },
    ...['qwen3:14b', 'gemma3:12b', 'llama3.2:3b', 'hf.co/somebody/A-Very-Long-Model-Name-Instruct-GGUF:Q4_K_M'].map((name) => ({
      name,
      size: 1e9,
      verdict: 'unfit',
      words: '',
    })),
  ],
  suggestions: [{ name: 'qwen2.5-coder:3b-base', size: 1.9e9, isInstalled: false }],
  figures: {
    shown: 200,
    accepted: 50,
    acceptedChars: 1200,
    retained30: 0.9,
    retained300: 0.8,
    requests: 80,
    saved: 300,
    latency: 142.4,
  },
};

const listed = (id, purpose, direction, detail, host, address, more = {}) => ({
  id,
  at: now - 1000 * Number(id),
  purpose,
  direction,
  detail,
  host,
  address,
  sent: 18_400,
  received: 2_310_000,
  sessionId: null,
  state: 'closed',
  ...more,
});
const connections = {
  records: [
    listed('1', 'ollama', 'out', 'POST /api/chat', 'localhost:11434', '127.0.0.1:11434', { state: 'open', sessionId: 's1' }),
    listed('2', 'mcp', 'out', 'cloud', 'mcp.example.org:443', null, { sent: 0, received: 0, state: 'refused' }),
    listed('3', 'command', 'process', 'npm install left-pad', '', null, { sent: null, received: null, isSandboxed: true }),
    listed('4', 'api', 'in', 'GET /api/dialogs', '127.0.0.1:51720', '127.0.0.1:51720'),
  ],
  dropped: 120,
};

export const settingsScenarios = {
  'settings-connection': settingsPage([]),
  'settings-models': settingsPage(['tab Models'], {
    ready: {
      ...ready,
      models: { ...models, models: [...models.models, cloudModel] },
      pulls: [{ ...pull('qwen3:4b'), completed: 3.4e9, bytesPerSecond: 41e6 }],
    },
  }),
  'settings-no-models': settingsPage(['tab Models'], { ready: { ...ready, models: noModels } }),
  'settings-chat': settingsPage(['tab Chat']),
  'settings-agent': settingsPage(['tab Agent']),
  'settings-autocomplete': settingsPage(['tab Autocomplete'], { completions }),
  'settings-agent-lists': settingsPage(['tab Agent', 'show Edit without asking']),
  'settings-temperature': settingsPage(['type temperature']),
  'settings-advanced': settingsPage(['tab Advanced'], { index }),
  'settings-privacy': settingsPage(['tab Privacy', 'click All requests'], { connections }),
  'settings-connections': settingsPage(['type list of connections'], { connections }),
  'settings-errors': settingsPage([], {
    settings: oddSettings,
    ready: {
      ...ready,
      connection: {
        ...connection,
        state: 'unreachable',
        baseUrl: 'http://gpu-box:11434',
        version: null,
        message: 'Ollama does not respond at http://gpu-box:11434. Start Ollama, or change the server address.',
      },
    },
  }),
  'settings-workspace': settingsPage(['tab Chat'], { settings: oddSettings }),
  'settings-search': settingsPage(['type model']),
  'settings-nothing-found': settingsPage(['type zebra']),
  'settings-loading': settingsPage([], { settings: 'loading' }),
  'settings-failed': { ...settingsPage([], { settings: 'failing' }), expectsReports: true },
  'settings-german': settingsPage(['tab Modelle'], { ready: { ...ready, l10n: german } }),
};
