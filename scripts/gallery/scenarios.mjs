import { readFileSync } from 'node:fs';
import { LogBuilder } from './entries.mjs';
import { troubleScenarios } from './troubles.mjs';
import { answer, created, diff, hostile, longCode, longDiff, odd, output, picture, thought, world } from './texts.mjs';

const now = Date.now();
const all = { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true };
const model = (name, size, contextLength, more = {}) => ({
  ...{ name, size, contextLength, parameterSize: null, enabled: true, loaded: false, isCloud: false },
  ...more,
  capabilities: { ...all, ...more.capabilities },
});
const models = {
  models: [
    model('qwen3:14b', 9.3e9, 40960, { loaded: true, families: ['qwen3'], modifiedAt: '2026-03-14T10:00:00Z' }),
    model('gemma3:12b', 8.1e9, 131072, { capabilities: { tools: false, vision: true, thinking: false } }),
    model('llama3.2:3b', 2e9, 131072, { capabilities: { thinking: false } }),
    model('hf.co/somebody/A-Very-Long-Model-Name-Instruct-GGUF:Q4_K_M', 21.4e9, 8192, { capabilities: { thinking: false } }),
  ],
  stale: false,
  selected: { agent: 'qwen3:14b', plan: 'qwen3:14b', ask: 'gemma3:12b', edit: 'qwen3:14b' },
};
const connection = { state: 'connected', baseUrl: 'http://localhost:11434', version: '0.12.6', message: null, demo: false };
const ready = {
  sessionId: null,
  mode: 'agent',
  workspace: { name: 'signup-sample', hasFolder: true, isTrusted: true },
  models,
  pulls: [],
  windowsHost: null,
  system: 'linux',
  windowsHost: null,
  connection,
  storage: { state: 'open', problem: null },
  inEditor: [],
  grants: { commands: false, sensitiveEdits: false, allowedCommands: [], files: [] },
  l10n: {},
};

const imageItem = (path) => ({
  ...{ kind: 'image', path },
  image: { hash: 'a'.repeat(64), type: 'image/png', width: 160, height: 90 },
});

const workspaceAgents = [
  {
    ...{
      name: 'Reviewer',
      description: 'Looks for faults and names their lines',
      shown: '.github/agents/reviewer.agent.md',
      model: null,
    },
    handoffs: [
      { label: 'Mend what was found', agent: 'agent', prompt: 'Mend what you have found.', isSent: true },
      { label: 'Write tests for it', agent: 'Tester', prompt: 'Write a test for each.', isSent: false },
    ],
  },
  { name: 'Tester', description: '', shown: '.github/agents/tester.agent.md', model: null, handoffs: [] },
];

const field = (name, title, type) => ({ ...{ name, title, type, description: '', options: [], isRequired: true } });
const askingForm = (log, more) =>
  log
    .user('Deploy it', 'agent')
    .call('c1', 'cloud__deploy', {})
    .add('question', 'The MCP server cloud asks: Where to, and how much of it?', {
      ...{ questionId: 'q1', callId: 'c1', phase: 'asked', options: [], ...more },
    });

const noModels = { models: [], stale: false, selected: {} };
const pull = (name) => ({ name, status: 'pulling', completed: 0, total: 9.3e9, bytesPerSecond: null, message: null });
const suggestions = {
  suggestions: [
    { name: 'qwen3:14b', size: 9.3e9 },
    { name: 'qwen3:8b', size: 5.2e9 },
    { name: 'qwen3:4b', size: 2.5e9 },
  ],
  memory: 16e9,
};

const german = JSON.parse(readFileSync(new URL('../../l10n/bundle.l10n.de.json', import.meta.url), 'utf8'));

const contextOf = (system, attachments, history, toolResults, more = {}) => ({
  ...{ model: 'qwen3:14b', window: 32768, loaded: { window: 32768, gpuShare: 1 }, isMeasured: true, reused: 0.94 },
  instructions: [{ shown: 'AGENTS.md', isLeftOut: false, hidden: 0 }],
  used: system + attachments + history + toolResults,
  parts: Object.entries({ system: system - 1240, tools: 1000, instructions: 240, attachments, history, toolResults }).map(
    ([kind, tokens]) => ({ kind, tokens }),
  ),
  ...more,
});
const context = contextOf(1840, 0, 3412, 4472);

const scenario = (parts) => ({ ready, sessions: {}, history: [], state: undefined, context, ...parts });
const inAsk = { ...models, selected: { agent: null, ask: 'qwen3:14b' } };
const session = (log, run, more = {}) =>
  scenario({ ...more, ready: { ...ready, ...more.ready, sessionId: 's1' }, sessions: { s1: log.snapshot(run) } });
const running = (activity) => ({ state: 'running', activity });
const ask = 'Add input validation to the signup form';

const worked = () =>
  new LogBuilder()
    .user(ask)
    .thought(thought, 6)
    .answer("I'll look at the form and its tests first.")
    .call('c1', 'read_file', { path: 'src/signup.ts', startLine: 1, endLine: 80 }, 'src/signup.ts 1–80')
    .result('c1', 'read_file', 'export async function submit() {}\n'.repeat(80), {
      summary: 'lines 1–80 of 214',
      details: { path: 'src/signup.ts', startLine: 1, endLine: 80 },
    })
    .call('c2', 'read_file', { path: 'packages/website/src/components/forms/tests/signup.test.ts' }, 'tests/signup.test.ts')
    .result('c2', 'read_file', 'test()', { summary: '41 lines' })
    .call('c3', 'replace_in_file', { path: 'src/signup.ts' }, 'src/signup.ts')
    .add('file_edit', '', {
      ...{
        callId: 'c3',
        path: 'src/signup.ts',
        operation: 'modify',
        diff,
        beforeHash: null,
        afterHash: null,
        additions: 7,
        deletions: 2,
      },
    })
    .result('c3', 'replace_in_file', 'Edited.')
    .call('c4', 'create_file', { path: 'src/validate.ts' }, 'src/validate.ts')
    .add('file_edit', '', {
      ...{ callId: 'c4', path: 'src/validate.ts', operation: 'create', diff: created, beforeHash: null, afterHash: null },
      ...{ additions: 3, deletions: 0 },
    })
    .result('c4', 'create_file', 'Created.', { summary: '+3' })
    .answer('Now the tests.')
    .call('c5', 'run_terminal_command', { command: 'npm test -- signup' }, 'npm test -- signup');

const edited = (callId, path, operation, text, additions, deletions) => ({
  ...{ callId, path, operation, diff: text, beforeHash: null, afterHash: null, additions, deletions },
});
const approval = (more = {}) => ({
  ...{ approvalId: 'a1', callId: 'c5', phase: 'requested', kind: 'command', command: 'npm test -- signup', cwd: '.' },
  ...{ severity: 'medium', reasons: ['runs tests'], canAllowAlways: more.severity !== 'critical', ...more },
});
const ran = (status = 'error') =>
  worked()
    .add('approval', '', approval())
    .add('approval', '', {
      approvalId: 'a1',
      callId: 'c5',
      phase: 'decided',
      kind: 'command',
      decision: 'approved',
      decidedBy: 'person',
    })
    .result('c5', 'run_terminal_command', output, { status, summary: 'exit code 1', display: output, details: { exitCode: 1 } });

const asking = () =>
  new LogBuilder()
    .user(ask)
    .answer('Both fields need a place for their errors.')
    .call('c1', 'ask_user', { question: 'Where should errors be shown?' })
    .add('question', 'Where should errors be shown? The form has no place for them yet.', {
      ...{ questionId: 'q1', callId: 'c1', phase: 'asked' },
      options: ['Beside each field', 'In one list above the form, with a link to each field that is wrong'],
    });
const planned = () =>
  new LogBuilder()
    .user(ask)
    .call('c1', 'update_todos', { todos: [] }, '2 of 5 done')
    .result('c1', 'update_todos', 'The todo list is now:\n[x] Read the form\n[x] Look for rules', {
      summary: '2 of 5 done',
      todos: [
        { text: 'Read the form and its tests', state: 'completed' },
        { text: 'Look for rules that are there already', state: 'completed' },
        { text: 'Write a test for every rule of the signup form, and one for what they have in common', state: 'in_progress' },
        { text: 'Validate both fields', state: 'pending' },
        { text: 'Run the tests', state: 'pending' },
      ],
    });

const failed = (text, code, actions, detail) =>
  session(new LogBuilder().user(ask).add('error', text, { code, actions, detail }).done('failed'), {});

const missingModel = (name, ready = {}) =>
  session(
    new LogBuilder()
      .user(ask)
      .add('error', `The model “${name}” is not installed on the Ollama server. Pull it, or choose another model.`, {
        ...{
          code: 'modelNotFound',
          actions: ['pullModel', 'selectModel', 'retry'],
          detail: `model '${name}' not found`,
          model: name,
        },
      })
      .done('failed'),
    {},
    { ready: { models: { ...models, selected: { agent: name, ask: name } }, ...ready } },
  );

const noStorage = (code, message, actions, more = {}) => ({
  storage: {
    state: 'unavailable',
    problem: { code, message, folder: '/home/robin/.config/Code/User/globalStorage/ollama-copilot.ollama-copilot/3f1c', actions },
    ...more,
  },
});
const damaged = noStorage(
  'corrupt',
  'The chat history file is damaged. It was left exactly as it is and is not used. Set it aside and start fresh, or restore sessions.sqlite from a backup while all windows are closed.',
  ['setAside', 'retry', 'openFolder', 'chooseFolder', 'showLog'],
);
const locked = (more) =>
  noStorage(
    'locked',
    'The chat history is being used by another program for too long. Close other windows or tools that have it open, then try again.',
    ['retry', 'openFolder', 'showLog'],
    more,
  );
const written = { drafts: { '': 'Add input validation to the signup form, and tests for it' } };

const row = (index, title, minutes, more = {}) => ({
  ...{
    id: `h${index}`,
    title,
    mode: 'agent',
    model: 'qwen3:14b',
    state: 'idle',
    createdAt: now,
    updatedAt: now - minutes * 60_000,
  },
  ...more,
});
const queued = [
  { id: 'q1', text: 'Then write a test for every rule', attachments: [] },
  { id: 'q2', text: 'And say in the README which characters a name may have, how long it may be, and why', attachments: [] },
];
const hunks = [
  {
    id: 'h1',
    line: 4,
    text: "import { validateAddress, validatePassword, type Problem } from './validate';",
    additions: 1,
    deletions: 1,
  },
  {
    id: 'h2',
    line: 31,
    text: 'const problems = [...validateAddress(form), ...validatePassword(form)];',
    additions: 3,
    deletions: 1,
  },
  { id: 'h3', line: 90, text: 'return problems.map(({ text }) => text);', additions: 20, deletions: 1 },
];
const changed = [
  ['src/signup.ts', 'modified', 24, 3, [4, 31, 90]],
  ['src/validate.ts', 'created', 15, 0, [1]],
  ['src/components/forms/accounts/registration/fields/EmailAddressField.vue', 'modified', 2, 40, [12]],
  ['docs/old.md', 'deleted', 0, 61, [1]],
  ['src/forms/rules.ts', 'renamed', 2, 0, [1], 'src/forms/helpers/rulesOfTheForms.ts'],
].map(([shown, status, additions, deletions, places, from]) => ({
  ...{ path: `/workspace/${shown}`, shown, status, lines: { additions, deletions }, places, ...(from && { from }) },
  ...(shown === 'src/signup.ts' && { hunks }),
}));
const toRestore = [
  ['src/signup.ts', 'write', null],
  ['src/validate.ts', 'delete', null],
  ['src/components/forms/accounts/registration/fields/EmailAddressField.vue', 'conflict', 'changedSince'],
  ['docs/old.md', 'create', null],
  ['notes.md', 'conflict', 'unsaved'],
  ['assets/intro.mp4', 'keep', 'notStored'],
].map(([shown, action, reason]) => ({
  ...{
    file: `/workspace/${shown}`,
    shown,
    action,
    reason,
    exists: action !== 'create',
    hash: action === 'delete' ? null : 'abc',
  },
}));
const workSession = {
  ...{ name: 'session_1', approvedCheckpointId: 'ckpt_0', lastApprovedAt: null, count: 4, earlier: [] },
  files: [
    ['src/signup.ts', 'modified', 24, 3, { source: 'agent' }],
    ['src/validate.ts', 'created', 15, 0, { source: 'agent' }],
    ['package-lock.json', 'modified', 310, 12, { source: 'command' }],
    ['dist/bundle.js', 'created', 2204, 0, {}],
  ].map(([shown, status, additions, deletions, more]) => ({
    ...{ path: `/workspace/${shown}`, shown, status, lines: { additions, deletions }, hash: 'abc', ...more },
  })),
};
const titleBefore = 'Before user message: Add input validation to the signup form';
const history = [
  row(1, 'Validate the signup form', 0, { state: 'running' }),
  row(2, 'Why does the build fail on Windows only, and what could be done about it?', 12, { state: 'waiting' }),
  row(3, 'Difference between a process and a thread', 75, { mode: 'ask' }),
  row(4, 'Rename the module', 60 * 7, { state: 'failed' }),
  row(5, '正規表現でISO日付を検証する', 60 * 30, { mode: 'ask' }),
  row(6, 'Write a README', 60 * 24 * 3, { state: 'interrupted' }),
  row(7, 'Migrate to Node 24', 60 * 24 * 40, { state: 'elsewhere' }),
  ...Array.from({ length: 20 }, (_, index) =>
    row(index + 8, `Conversation number ${index + 1}`, 60 * 24 * (50 + index * 3), { mode: 'ask', isImported: index % 3 === 0 }),
  ),
];

/** What a search found: `[` and `]` stand around what matched. */
const markedText = (text) => {
  const marks = [...text.matchAll(/\[(.*?)\]/g)].map(({ index, 1: word }, before) => [
    index - 2 * before,
    index - 2 * before + word.length,
  ]);
  return { text: text.replace(/[[\]]/g, ''), marks };
};
const hit = (session, title, line) => ({
  session,
  title: markedText(title ?? session.title),
  line: line === null ? null : { ...markedText(line), seq: 1 },
});
const found = [
  hit(history[0], 'Validate the signup [form]', "I'll look at the [form] and its tests first."),
  hit(
    history[1],
    null,
    '…the build writes dist/forms/index.js with a capital letter, and the [form] imports it with a small one, which only Windows forgives, so that the…',
  ),
  hit(history[2], null, '+  if (!email.includes("@")) return show([form], "Enter an e-mail address");'),
  hit(history[4], null, '検証は[form]要素のsubmitイベントで行います。'),
  hit(history[5], 'Write a README for the [form]', null),
];

/**
 * Every designed state of the view. `do` is what a person does before the picture is taken: `click NAME`, `key KEY` in the list,
 * `type TEXT` in the search, `history`, `hover NAME`, `settle`, `write TEXT`, `suggest` a file.
 */
const saved = (key, value, byDefault, more = {}) => ({
  ...{
    key,
    value,
    default: byDefault,
    isSet: JSON.stringify(value) !== JSON.stringify(byDefault),
    scope: 'user',
    problem: null,
    ...more,
  },
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
const stored = {
  ...{
    bytes: 1.24e9,
    limit: 5e9,
    objects: 12_480,
    originals: 14,
    freeable: 3e6,
    checkpoints: 348,
    approved: { count: 112, oldest: now - 90 * 24 * 3_600_000 },
  },
  sessions: [
    ['Add input validation to the signup form', 41, 2.1e9, 2.2e8],
    ['Why does the build take four minutes, and what can be done about it in the time that is left?', 128, 1.9e9, 3.1e7],
    ['Rename the tables', 1, 1.9e9, 0],
    ['', 12, 4.4e5, 1.2e4],
  ].map(([title, checkpoints, bytes, ownBytes], index) => ({ sessionId: String(index), title, checkpoints, bytes, ownBytes })),
};
const nothingLeftOut = { count: 0, unstableCount: 0, files: [] };
const leftOut = {
  count: 23,
  unstableCount: 4,
  files: [
    { path: 'packages/website/public/assets/video/introduction-to-the-new-signup-form-2026-01.mp4', reason: 'tooLarge' },
    { path: 'data/dump.sql', reason: 'tooLarge' },
    { path: 'private/keys', reason: 'unreadable' },
    { path: 'names/f\uFFFDo.txt', reason: 'name' },
    { path: 'server.db', reason: 'unstable' },
  ],
};
/** A server as the question of a workspace shows it. */
const database = {
  name: 'database',
  parts: [
    { label: 'Program', value: 'npx' },
    { label: 'Argument', value: '-y' },
    { label: 'Argument', value: '@example/database-server' },
    { label: 'Environment: DATABASE_URL', value: '${env:DATABASE_URL}' },
  ],
};
const storedCheckpoints = {
  checkpoints: [
    ['Before user message: Now add a test for each rule of the form, also for those that nobody has asked for', false],
    ['Approved: session_2', true],
    ['After command: npm test -- signup', false],
    ['Before command: npm test -- signup', false],
    ['Before user message: Add input validation to the signup form', false],
    ['Initial state', true],
  ].map(([title, isApproved], index) => ({
    id: `ckpt_${index}`,
    title,
    createdAt: now - (index + 1) ** 3 * 900_000,
    isApproved,
    leftOut: index === 2 ? leftOut : nothingLeftOut,
  })),
  more: 35,
};
/** Settings that went wrong, and those that a workspace has a say in. */
const oddSettings = {
  ...allSettings,
  settings: allSettings.settings.map((setting) =>
    setting.key === 'baseUrl'
      ? { ...setting, value: 'gpu-box:11434', isSet: true, problem: 'Enter an address that begins with http:// or https://.' }
      : setting.key === 'contextWindow'
        ? { ...setting, workspaceValue: 4096 }
        : setting,
  ),
  hasToken: true,
};
const cloudModel = model('gpt-oss:120b-cloud', 0, 131072, { isCloud: true, parameterSize: '117B' });
const settingsPage = (steps, parts = {}) => ({
  ...scenario({ settings: allSettings, suggestions, ...parts }),
  ...{ do: ['settings', ...steps] },
});

const days = Array.from({ length: 30 }, (_, index) => new Date(Date.UTC(2026, 9, 20 + index)).toISOString().slice(0, 10));
const statistics = {
  tokensByDay: days.map((day, index) => ({ day, prompt: ((index * 7919) % 31) * 2400, answer: ((index * 104729) % 17) * 420 })),
  models: [
    { model: 'qwen3:14b', answers: 412, promptTokens: 1_204_331, answerTokens: 96_122, firstTokenMs: 640, tokensPerSecond: 41.3 },
    { model: 'gpt-oss:20b', answers: 88, promptTokens: 310_200, answerTokens: 40_871, firstTokenMs: 2310, tokensPerSecond: 17.9 },
  ],
  tools: [
    { tool: 'read_file', calls: 812, successes: 790, failures: 22, averageMs: 12 },
    { tool: 'run_terminal_command', calls: 301, successes: 221, failures: 48, averageMs: 3200 },
    { tool: 'replace_in_file', calls: 244, successes: 219, failures: 25, averageMs: 90 },
    { tool: 'search_workspace', calls: 120, successes: 120, failures: 0, averageMs: 210 },
  ],
  toolsByDay: days.map((day, index) => ({ day, calls: ((index * 31) % 23) * 4, failures: index % 5 })),
  sessions: [
    {
      sessionId: 's1',
      title: 'Validate the signup form',
      tools: [
        { tool: 'read_file', calls: 42 },
        { tool: 'replace_in_file', calls: 11 },
      ],
    },
    { sessionId: 's2', title: 'Rename the module', tools: [{ tool: 'rename_file', calls: 3 }] },
  ],
  edits: [{ model: 'qwen3:14b', kept: 140, undone: 18, pending: 4 }],
  completions: { shown: 920, accepted: 311, retained: 0.82 },
  compactions: 7,
};

const mcp = {
  servers: [
    {
      ...{
        name: 'files',
        origin: 'settings',
        state: 'running',
        problem: null,
        reach: 'npx server-filesystem .',
        address: null,
      },
      ...{ signIn: 'none', signInOrigins: [] },
      tools: [
        { name: 'files__read_file', title: 'read_file', tokens: 120, isOn: true },
        { name: 'files__move_file', title: 'move_file', tokens: 90, isOn: false },
      ],
    },
    {
      ...{ name: 'tickets', origin: 'workspace', state: 'failed', problem: 'It ended with exit code 1.' },
      ...{ reach: 'http://localhost:9000/mcp', address: 'http://localhost:9000/mcp', tools: [] },
      ...{ signIn: 'needed', signInOrigins: [] },
    },
  ],
  ...{ prompts: [], problems: [] },
  waiting: [{ path: '.vscode/mcp.json', hash: 'h', servers: [database], environment: ['DATABASE_URL'] }],
};
const completions = {
  models: [
    { name: 'qwen2.5-coder:1.5b-base', size: 1e9, verdict: 'can', words: 'Passed the self-test.' },
    { name: 'starcoder2:3b', size: 1.7e9, verdict: 'untested', words: 'Not tested yet.' },
    ...['qwen3:14b', 'gemma3:12b', 'llama3.2:3b', 'hf.co/somebody/A-Very-Long-Model-Name-Instruct-GGUF:Q4_K_M'].map((name) => ({
      ...{ name, size: 1e9, verdict: 'unfit', words: '' },
    })),
  ],
  suggestions: [{ name: 'qwen2.5-coder:3b-base', size: 1.9e9, isInstalled: false }],
  figures: {
    ...{ shown: 200, accepted: 50, acceptedChars: 1200, retained30: 0.9, retained300: 0.8, requests: 80, saved: 300 },
    latency: 142.4,
  },
};
/** Tools that a tested server offers. */
const testedServer = {
  ...{ outcome: 'running', problem: null, log: '' },
  tools: [
    ['read_text_file', 'Read the complete contents of a file from the file system as text. Handles various text encodings.', 214],
    ['write_file', 'Create a new file or completely overwrite an existing file with new content.', 131],
    ['list_allowed_directories', 'Returns the list of directories that this server is allowed to access.', 96],
  ].map(([name, about, tokens]) => ({ name, about, tokens })),
};
const failedTest = {
  ...{ outcome: 'failed', tools: [] },
  problem: 'There is no program npx. It comes with Node.js: install Node.js, or enter the whole path of npx.',
  log: '2026-11-18T09:12:44.120Z Starting\n2026-11-18T09:12:44.131Z There is no program npx.',
};
const issuesServer = {
  name: 'issues',
  reach: {
    kind: 'http',
    url: 'https://mcp.example.com/team/of/the/website/mcp',
    headers: [
      { name: 'Authorization', value: 'Bearer ${input:token}' },
      { name: 'X Team', value: 'website' },
    ],
  },
};

export const scenarios = {
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
  'settings-checkpoints': settingsPage(['tab Checkpoints', 'show Verify'], { stored }),
  'settings-checkpoints-over': settingsPage(['tab Checkpoints', 'click Verify', 'show Stored by chat'], {
    stored: { ...stored, bytes: 5.4e9 },
    verified: {
      objects: 12_480,
      damaged: 2,
      files: ['src/signup.ts', 'docs/a/rather/deep/folder/with/a/long-name.md'],
      moreFiles: 3,
    },
  }),
  'settings-checkpoints-busy': settingsPage(['tab Checkpoints', 'click Verify', 'show Stored by chat'], { stored }),
  'settings-checkpoints-list': settingsPage(
    ['tab Checkpoints', 'click Add input validation to the signup form', 'show Checkpoints of this chat'],
    { stored, storedCheckpoints },
  ),
  'settings-checkpoints-left-out': settingsPage(
    [
      'tab Checkpoints',
      'click Add input validation to the signup form',
      'click 19 files are not in this checkpoint · 4 files were changing while the checkpoint was taken',
      'show Checkpoints of this chat',
    ],
    { stored, storedCheckpoints },
  ),
  'settings-checkpoints-empty': settingsPage(['tab Checkpoints'], {
    stored: { ...stored, bytes: 0, objects: 0, checkpoints: 0, sessions: [] },
  }),
  'settings-checkpoints-german': settingsPage(['tab Prüfpunkte', 'show Gespeichert je Chat'], {
    stored: { ...stored, bytes: 5.4e9 },
    ready: { ...ready, l10n: german },
  }),
  'settings-tools': settingsPage(['tab Tools'], { mcp }),
  'settings-mcp-add': settingsPage(['tab Tools', 'click Add server…', 'click Fill in Memory'], { mcp }),
  'settings-mcp-reference': settingsPage(['tab Tools', 'click Add server…', 'show Reference servers of the protocol'], { mcp }),
  'settings-mcp-tested': settingsPage(
    ['tab Tools', 'click Add server…', 'click Fill in Filesystem', 'click Test', 'show Tools of this server'],
    { mcp, tested: testedServer },
  ),
  'settings-mcp-testing': settingsPage(
    ['tab Tools', 'click Add server…', 'click Fill in Filesystem', 'click Test', 'show Stop the test'],
    { mcp },
  ),
  'settings-mcp-failed': settingsPage(
    ['tab Tools', 'click Add server…', 'click Fill in Filesystem', 'click Test', 'settle', 'show Save'],
    { mcp, tested: failedTest },
  ),
  'settings-mcp-edit': settingsPage(['tab Tools', 'click Edit files', 'click Save', 'settle', 'show Address'], {
    ...{ mcp, mcpServer: issuesServer },
  }),
  'settings-mcp-german': settingsPage(['tab Tools', 'click Server hinzufügen…', 'click Memory eintragen', 'show Speichern'], {
    ...{ mcp, ready: { ...ready, l10n: german } },
  }),
  'settings-autocomplete': settingsPage(['tab Autocomplete'], { completions }),
  'settings-agent-lists': settingsPage(['tab Agent', 'show Edit without asking']),
  'settings-temperature': settingsPage(['type temperature']),
  'settings-advanced': settingsPage(['tab Advanced']),
  'settings-privacy': settingsPage(['tab Privacy', 'click Every request']),
  'settings-errors': settingsPage([], {
    settings: oddSettings,
    ready: {
      ...ready,
      connection: {
        ...connection,
        state: 'unreachable',
        baseUrl: 'http://gpu-box:11434',
        version: null,
        message: 'Ollama does not answer at http://gpu-box:11434. Start Ollama, or change the address in the settings.',
      },
    },
  }),
  'settings-workspace': settingsPage(['tab Chat'], { settings: oddSettings }),
  'settings-search': settingsPage(['type model']),
  'settings-nothing-found': settingsPage(['type zebra']),
  'settings-loading': settingsPage([], { settings: 'loading' }),
  'settings-failed': { ...settingsPage([], { settings: 'failing' }), expectsReports: true },
  'settings-german': settingsPage(['tab Modelle'], { ready: { ...ready, l10n: german } }),
  'picker-cloud': {
    ...scenario({
      ready: {
        ...ready,
        models: { ...models, models: [cloudModel, ...models.models], selected: { agent: cloudModel.name, ask: cloudModel.name } },
      },
    }),
    do: ['click Model: gpt-oss:120b-cloud'],
  },
  ready: { ...scenario({}) },
  'ready-ask': scenario({ ready: { ...ready, mode: 'ask', workspace: { name: null, hasFolder: false, isTrusted: true } } }),
  'no-server': {
    ...scenario({ ready: { ...ready, models: { ...models, models: [] }, connection: { ...connection, state: 'unreachable' } } }),
  },
  'no-server-wsl': scenario({
    ready: {
      ...ready,
      ...{ models: { ...models, models: [] }, connection: { ...connection, state: 'unreachable' } },
      ...{ system: 'wsl', windowsHost: '172.24.96.1' },
    },
  }),
  'ready-pulling': { ...scenario({ ready: { ...ready, pulls: [pull('qwen3:4b')] } }) },
  'no-models': { ...scenario({ ready: { ...ready, models: noModels }, suggestions }) },
  'pulling-models': {
    ...scenario({
      ready: {
        ...ready,
        models: noModels,
        pulls: [
          { ...pull('qwen3:14b'), completed: 3.4e9, bytesPerSecond: 41e6 },
          { ...pull('qwen3:4b'), status: 'starting', total: null },
          {
            ...pull('nobody/knows:it'),
            status: 'failed',
            message: 'There is no model “nobody/knows:it” to install. Check its name.',
          },
        ],
      },
      suggestions,
    }),
  },
  listing: scenario({ ready: { ...ready, models: { ...noModels, stale: true } } }),
  unlisted: {
    ...scenario({
      ready: {
        ...ready,
        models: {
          ...noModels,
          stale: true,
          problem: 'Ollama reported an error: “disk failure”. Try again; if it happens again, look into Ollama’s log.',
        },
      },
    }),
  },
  'wrong-server': {
    ...scenario({
      ready: {
        ...ready,
        models: noModels,
        connection: {
          ...connection,
          state: 'error',
          message: 'http://localhost:8080 answered, but not as Ollama does. Check the address in the settings.',
        },
      },
    }),
  },
  token: scenario({
    ready: { ...ready, connection: { ...connection, state: 'unauthorized', baseUrl: 'https://ollama.example.org' } },
  }),
  untrusted: scenario({ ready: { ...ready, workspace: { ...ready.workspace, isTrusted: false } } }),
  'storage-damaged': { ...scenario({ ready: { ...ready, ...damaged }, state: written }) },
  'storage-locked': scenario({ ready: { ...ready, ...locked() }, state: written }),
  'storage-opening': scenario({ ready: { ...ready, ...locked({ state: 'opening' }) } }),
  'storage-newer': scenario({
    ready: {
      ...ready,
      connection: { ...connection, state: 'unreachable' },
      ...noStorage(
        'newer',
        'The chat history was written by a newer version of Ollama Copilot. It was left as it is. Update the extension to open it.',
        ['chooseFolder', 'openFolder', 'showLog'],
      ),
    },
  }),
  'storage-lost': {
    ...session(
      new LogBuilder().user(ask).answer(answer.slice(0, 330)),
      {},
      { ready: damaged, state: { drafts: { s1: 'And now?' } } },
    ),
  },
  demo: scenario({ ready: { ...ready, connection: { ...connection, demo: true } } }),
  loading: session(new LogBuilder().user(ask), running({ kind: 'loading', model: 'qwen3:14b', since: now - 14_000 })),
  waiting: session(new LogBuilder().user(ask), running({ kind: 'behind', model: 'qwen3:14b', since: now - 14_000 })),
  preparing: session(
    new LogBuilder().user(ask).thought(thought, 6).answer(answer.slice(0, 330), true),
    running({ kind: 'preparing', work: 'edit', since: now - 4000 }),
  ),
  silent: session(
    new LogBuilder().user(ask).thought(thought, 6).answer(answer.slice(0, 330), true),
    running({ kind: 'silent', since: now - 140_000 }),
  ),
  context: {
    ...session(new LogBuilder().user(ask).thought(thought, 6).answer(answer).done(), {}),
    context: contextOf(1840, 2100, 3412, 5072),
    do: ['click Context: 12.4k of 32k tokens'],
  },
  memory: {
    ...session(new LogBuilder().user(ask).thought(thought, 6).answer(answer).done(), {}),
    context: contextOf(1840, 2100, 3412, 5072),
    memory: [
      { kind: 'own', text: 'Tests run with npm test, never with jest', seq: null, isForgotten: false },
      { kind: 'rule', text: 'Never touch the files in vendor/.', seq: 1, isForgotten: false },
      { kind: 'rule', text: 'Please use tabs.', seq: 1, isForgotten: true },
      { kind: 'changed', text: 'src/parser.ts (modified)', seq: 7, isForgotten: false },
    ],
    do: ['click Context: 12.4k of 32k tokens', 'click Memory'],
  },
  'context-full': {
    ...session(new LogBuilder().user(ask).thought(thought, 6).answer(answer).done(), {}),
    context: contextOf(1840, 0, 11_412, 16_072, { isMeasured: false, loaded: { window: 16_384, gpuShare: 0.71 } }),
    do: ['click Context: about 29.3k of 32k tokens'],
  },
  'no-meter': { ...scenario({}), context: null },
  'token-exposed': scenario({
    ready: { ...ready, connection: { ...connection, baseUrl: 'http://192.168.1.20:11434', isTokenExposed: true } },
  }),
  reading: session(new LogBuilder().user(ask), running({ kind: 'reading', promptTokens: 9300, since: now - 3000 })),
  'reading-or-call': session(
    new LogBuilder().user(ask),
    running({ kind: 'reading', promptTokens: 9300, since: now - 14_000, orPreparing: 'editOrCall' }),
  ),
  retrying: session(
    new LogBuilder().user(ask),
    running({ kind: 'retrying', attempt: 2, of: 3, until: now + 20_000, reason: 'the server is busy' }),
  ),
  thinking: { ...session(new LogBuilder().user(ask).thought(thought), running({ kind: 'answering', since: now })) },
  streaming: session(
    new LogBuilder().user(ask).thought(thought, 6).answer(answer.slice(0, 330), true),
    running({ kind: 'answering', since: now }),
  ),
  answer: {
    ...session(new LogBuilder().user('What is missing in the signup form?', 'ask').thought(thought, 6).answer(answer).done(), {}),
  },
  'answer-formulas': {
    ...session(
      new LogBuilder()
        .user('How does the cost grow, from $5 to $10?', 'ask')
        .answer(
          'The mean is $\\bar{x} = \\frac{1}{n}\\sum_{i=1}^{n} x_i$, computed in `meanOf()`; a month costs $5, then $10.\n\n' +
            '$$\n\\sigma = \\sqrt{\\frac{1}{n}\\sum_{i=1}^{n} (x_i - \\bar{x})^2} \\qquad A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\n$$\n\n' +
            'This one has a fault, so its source is shown: $\\frac{1$. In $O(n \\log n)$ steps it ends.',
        )
        .done(),
      {},
    ),
    do: ['settle'],
  },
  'answer-top': {
    ...session(new LogBuilder().user('What is missing in the signup form?', 'ask').thought(thought, 6).answer(answer).done(), {}),
    do: ['click Thought for 6s', 'top'],
  },
  'edit-draft': {
    ...session(
      new LogBuilder().user(ask).answer("I'll write the file."),
      running({
        ...{ kind: 'preparing', work: 'edit', since: now - 4000 },
        draft: {
          path: 'packages/website/src/components/forms/validation.ts',
          lines: [
            ' export function submit(text) {',
            '-  if (!check(text)) {',
            '-    return;',
            '+  const problems = validate(text);',
            '+  if (problems.length > 0) {',
            '+    show(problems);',
            '   }',
            '+  se',
          ],
          additions: 4,
          deletions: 2,
        },
      }),
    ),
  },
  'approval-edit': {
    ...session(
      worked().add(
        'approval',
        '',
        approval({
          ...{ kind: 'edit', command: undefined, cwd: undefined, severity: undefined, path: 'package.json', operation: 'modify' },
          ...{ diff: longDiff, reasons: ['decides what is installed, built or run'] },
        }),
      ),
      running({ kind: 'waitingForApproval', since: now }),
    ),
  },
  'approval-edit-rename': {
    ...session(
      worked().add(
        'approval',
        '',
        approval({
          ...{ kind: 'edit', command: undefined, cwd: undefined, severity: undefined, operation: 'rename', diff: '' },
          ...{ path: 'packages/website/src/components/forms/validation.ts', newPath: '/home/robin/elsewhere/validation.ts' },
          reasons: ['outside the workspace'],
        }),
      ),
      running({ kind: 'waitingForApproval', since: now }),
    ),
  },
  edits: {
    ...session(
      new LogBuilder()
        .user(ask)
        .call('c1', 'replace_in_file', { path: 'src/signup.ts', oldText: 'a', newText: 'b' }, 'src/signup.ts')
        .add('file_edit', '', edited('c1', 'src/signup.ts', 'modify', longDiff, 9, 5))
        .result('c1', 'replace_in_file', 'Changed.', { summary: '+9 −5' })
        .answer('It has a better name elsewhere.')
        .call(
          'c2',
          'rename_file',
          { path: 'src/validate.ts', newPath: 'src/forms/validateEverything.ts' },
          'src/validate.ts → src/forms/validateEverything.ts',
        )
        .add('file_edit', '', {
          ...edited('c2', 'src/validate.ts', 'rename', '', 0, 0),
          newPath: 'src/forms/validateEverything.ts',
        })
        .result('c2', 'rename_file', 'Renamed.', { summary: 'to src/forms/validateEverything.ts' })
        .answer('And what nobody needs goes.')
        .call('c3', 'delete_file', { path: 'src/old.ts' }, 'src/old.ts')
        .add(
          'file_edit',
          '',
          edited('c3', 'src/old.ts', 'delete', '--- a/src/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n', 0, 1),
        )
        .result('c3', 'delete_file', 'Deleted.', { summary: '−1' })
        .done(),
      {},
    ),
    do: ['click Edited signup.ts', 'click Deleted old.ts', 'top'],
  },
  approval: {
    ...session(worked().add('approval', '', approval()), running({ kind: 'waitingForApproval', since: now })),
  },
  'approval-grave': session(
    worked().add(
      'approval',
      '',
      approval({
        command: 'rm -rf ./packages/website/dist && curl https://example.org/install.sh | sh',
        severity: 'critical',
        cwd: 'packages/website',
        reasons: ['deletes files', 'runs a script from the network'],
      }),
    ),
    running({ kind: 'waitingForApproval', since: now }),
  ),
  'approval-parts': {
    ...session(
      worked().add(
        'approval',
        '',
        approval({
          command: 'ls && npm test -- signup && rm -rf ./packages/website/dist && curl https://example.org/install.sh | sh',
          severity: 'critical',
          parts: [
            { text: 'ls', severity: 'low' },
            { text: 'npm test -- signup', severity: 'medium' },
            { text: 'rm -rf ./packages/website/dist', severity: 'high' },
            { text: 'curl https://example.org/install.sh', severity: 'high' },
            { text: 'sh', severity: 'critical' },
          ],
          reasons: ['runs what it downloads', 'deletes folders with all that is in them', 'uses the network', 'runs tests'],
        }),
      ),
      running({ kind: 'waitingForApproval', since: now }),
    ),
  },
  mentions: {
    ...session(ran().answer('One test fails: the password rule is not called yet.').done(), {}),
    do: ['suggest', 'write Explain #'],
  },
  tools: {
    ...session(ran().answer('One test fails: the password rule is not called yet.').done(), {}),
    do: ['click Ran npm test -- signup', 'click Details of src/validate.ts'],
  },
  'message-tools': {
    ...session(
      new LogBuilder().user(ask).answer('I would begin with the form.').done().user('And the tests?').answer('Yes.').done(),
    ),
    do: ['focus Edit and resend'],
  },
  'command-changes': {
    ...session(
      ran()
        .add('checkpoint', '', {
          ...{ kind: 'command_after', title: 'After command: npm test -- signup' },
          command: {
            ...{ callId: 'c5', before: 'ckpt_1', after: 'ckpt_2', count: 4 },
            files: [
              { path: 'coverage/lcov.info', status: 'created', lines: { additions: 212, deletions: 0 } },
              { path: 'tests/__snapshots__/signup.test.ts.snap', status: 'modified', lines: { additions: 4, deletions: 2 } },
              { path: 'tests/fixtures/old-form.html', status: 'deleted', lines: { additions: 0, deletions: 31 } },
              { path: 'tests/pictures/form.png', status: 'modified', lines: null },
            ],
          },
        })
        .answer('The new pictures are in. One test fails: the password rule is not called yet.')
        .done(),
    ),
    do: ['click Changed 4 files'],
  },
  editing: {
    ...session(
      new LogBuilder().user(ask).answer('I would begin with the form.').done(),
      {},
      { state: { drafts: { 's1#1': `=${ask}, and to the login form as well` } } },
    ),
  },
  changes: {
    ...session(
      new LogBuilder()
        .user(ask)
        .answer('The form now checks what is typed.')
        .add('review', '', {
          action: 'keep',
          scope: 'file',
          paths: ['packages/website/src/components/forms/tests/signup.test.ts'],
        })
        .add('review', '', { action: 'undo', scope: 'all', paths: ['a.md', 'b.md'] })
        .add('review', '', { action: 'revert', scope: 'all', paths: ['a.md', 'b.md'], targetSeq: 4 })
        .done(),
      {},
      { changed },
    ),
    do: ['position 2 7', 'click Changes in src/signup.ts'],
  },
  'work-session': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      { changed: changed.slice(0, 2), workSession },
    ),
    do: ['click Work session: 4 files since the last approval'],
  },
  'work-session-only': {
    ...session(
      new LogBuilder()
        .user(ask)
        .answer('The form now checks what is typed.')
        .done()
        .add('review', '', { action: 'approve', scope: 'all', paths: ['src/signup.ts'], workSession: 'session_1' }),
      {},
      { workSession },
    ),
  },
  'work-session-history': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      {
        changed: changed.slice(0, 1),
        workSession: {
          ...workSession,
          name: 'session_3',
          earlier: [
            { name: 'session_2', outcome: 'reset', closedAt: now - 4e6, message: null, checkpointId: null },
            { name: 'session_1', outcome: 'approved', closedAt: now - 9e7, message: 'The form', checkpointId: 'ckpt_1' },
          ],
        },
      },
    ),
    do: ['click Work session: 4 files since the last approval', 'click Session 3 active'],
  },
  'restore-plan': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      { changed, plan: { title: titleBefore, files: toRestore, leftOut: { ...leftOut, count: 5, unstableCount: 1 } } },
    ),
    do: ['focus Restore checkpoint', 'click Restore checkpoint'],
  },
  'restore-plan-left-out': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      { changed, plan: { title: titleBefore, files: toRestore.slice(0, 2), leftOut } },
    ),
    do: [
      'click Restore checkpoint',
      'click 19 files are not in this checkpoint · 4 files were changing while the checkpoint was taken',
    ],
  },
  'restore-plan-empty': {
    ...session(
      new LogBuilder().user(ask).answer('The form is fine as it is.').done(),
      {},
      { plan: { title: titleBefore, files: [], leftOut: nothingLeftOut } },
    ),
    do: ['focus Restore checkpoint', 'click Restore checkpoint'],
  },
  restored: {
    ...session(
      new LogBuilder()
        .user(ask)
        .answer('The form now checks what is typed.')
        .done()
        .add('restore', '', {
          targetCheckpointId: 'ckpt_0',
          paths: ['src/signup.ts', 'src/validate.ts'],
          operationId: 'o1',
          title: titleBefore,
          left: [
            { path: 'notes.md', reason: 'unsaved' },
            { path: 'assets/intro.mp4', reason: 'notStored' },
          ],
        })
        .add('restore', '', {
          ...{ targetCheckpointId: 'ckpt_9', paths: ['src/signup.ts', 'src/validate.ts'], operationId: 'o2', undoes: 'o1' },
          left: [],
        })
        .add('restore', '', {
          ...{
            targetCheckpointId: 'ckpt_0',
            paths: ['src/signup.ts'],
            operationId: 'o3',
            title: titleBefore,
            left: [],
            fromSeq: 1,
          },
        }),
    ),
  },
  queued: {
    ...session(new LogBuilder().user(ask).answer(answer.slice(0, 330), true), running({ kind: 'answering', since: now }), {
      queued,
      state: { drafts: { s1: 'A third one' } },
    }),
  },
  question: {
    ...session(asking(), running({ kind: 'waitingForApproval', since: now })),
  },
  'question-form': {
    ...session(
      askingForm(new LogBuilder(), {
        fields: [
          {
            ...field('region', 'Region', 'choice'),
            options: ['eu', 'us'].map((value) => ({ value, title: value.toUpperCase() })),
          },
          { ...field('count', 'Machines', 'integer'), description: 'At most 8.', most: 8, initial: 2 },
          { ...field('note', 'Note', 'text'), isRequired: false },
          { ...field('dry', 'Only try it', 'boolean'), initial: true },
        ],
      }),
      running({ kind: 'tool', name: 'cloud__deploy', since: now }),
    ),
    do: ['click Send answers'],
  },
  'question-settled': {
    ...session(
      asking()
        .add('question', 'Beside each field', { questionId: 'q1', callId: 'c1', phase: 'settled', outcome: 'answered' })
        .result('c1', 'ask_user', 'The user answered: Beside each field', { summary: 'answered' })
        .answer('Beside each field, then.')
        .call('c2', 'ask_user', { question: 'Shall I write tests too?' })
        .add('question', 'Shall I write tests too?', { questionId: 'q2', callId: 'c2', phase: 'asked', options: [] })
        .done('interrupted'),
      {},
    ),
  },
  todos: {
    ...session(planned().answer('Now the tests.', true), running({ kind: 'answering', since: now }), {
      background: [{ id: 'terminal-1a2b', command: 'npm run dev' }],
    }),
  },
  'todos-open': {
    ...session(planned().answer('Now the tests.').done(), {}),
    do: ['click 2 of 5 done Write a test for every rule of the signup form, and one for what they have in common'],
  },
  grants: {
    ...session(
      ran('success').answer('Both tests pass.').done(),
      {},
      {
        grants: {
          commands: true,
          sensitiveEdits: true,
          allowedCommands: [{ command: 'npm test -- signup', cwd: '.' }],
          files: [{ pattern: '*.sql', isFree: true }],
        },
      },
    ),
  },
  'thinking-levels': {
    ...scenario({
      ready: {
        ...ready,
        models: {
          ...ready.models,
          models: ready.models.models.map((one) =>
            one.name === 'qwen3:14b'
              ? { ...one, thinking: { values: ['low', 'medium', 'high'], default: 'medium', chosen: 'high' } }
              : one,
          ),
        },
      },
    }),
    do: ['click Thinking: high'],
  },
  'tools-list': {
    ...scenario({}),
    tools: [
      { name: 'read_file', title: 'read_file', tokens: 142, isOn: true },
      { name: 'run_terminal_command', title: 'run_terminal_command', tokens: 213, isOn: true },
      { name: 'search_codebase', title: 'search_codebase', tokens: 131, isOn: false },
      { name: 'issue-tracker__create_a_new_issue', title: 'create', tokens: 480, isOn: true },
    ],
    do: ['click Tools', 'click 3 of 4 tools on, about 835 tokens'],
  },
  'grants-open': {
    ...session(
      ran('success').answer('Both tests pass.').done(),
      {},
      {
        grants: {
          commands: true,
          sensitiveEdits: false,
          allowedCommands: [
            { command: 'a', cwd: '.' },
            { command: 'b', cwd: '.' },
          ],
          files: [
            { pattern: '*.sql', isFree: true },
            { pattern: 'packages/website/src/data/**', isFree: false },
          ],
        },
      },
    ),
    do: ['click Tools'],
  },
  'grants-ask': {
    ...scenario({ ready: { ...ready, mode: 'ask', models: inAsk } }),
    do: ['click Tools'],
  },
  'grants-ask-set': {
    ...session(
      new LogBuilder().user('What is in the dumps?', 'ask').answer('Two tables of orders.').done(),
      { mode: 'ask' },
      {
        grants: {
          ...{ commands: true, sensitiveEdits: false, allowedCommands: [] },
          files: [
            { pattern: 'packages/website/src/data/a-rather-long-folder/**/*.{json,yaml}', isFree: true },
            { pattern: '*.sql', isFree: false },
          ],
        },
        ready: { mode: 'ask', models: inAsk },
      },
    ),
    do: ['click Tools'],
  },
  background: {
    ...session(
      new LogBuilder()
        .user('Start the development server and tell me where it listens')
        .call('c1', 'run_terminal_command', { command: 'npm run dev', background: true }, 'npm run dev')
        .result('c1', 'run_terminal_command', 'Running in the background as terminal-1a2b (process 4711).', {
          ...{ summary: 'in the background', display: '> vite', details: { background: 'terminal-1a2b' } },
        })
        .call('c2', 'get_terminal_output', { id: 'terminal-1a2b' }, 'npm run dev')
        .result('c2', 'get_terminal_output', 'terminal-1a2b is running, for 4 s so far.', {
          ...{ summary: 'still running', display: 'Local: http://localhost:5173/', details: { background: 'terminal-1a2b' } },
        })
        .answer('It listens on port 5173.')
        .done(),
      {},
      {
        background: [
          { id: 'terminal-1a2b', command: 'npm run dev' },
          {
            id: 'terminal-3c4d',
            command: 'node_modules/.bin/tsc --watch --preserveWatchOutput --project packages/signup/tsconfig.json',
          },
        ],
      },
    ),
  },
  'queued-held': {
    ...session(new LogBuilder().user(ask).answer('I would begin with the').done('stopped'), {}, { queued }),
  },
  'cut-off': {
    ...session(
      new LogBuilder()
        .user('What is missing in the signup form?', 'ask')
        .add('assistant_output', answer.slice(0, 330), { end: 'length' })
        .add(
          'system_message',
          'The answer was cut off: it reached the limit of 200 tokens for one answer. Continue for the rest, or raise “maxTokens” in the settings.',
          { level: 'warning', code: 'length' },
        )
        .done('limit'),
      {},
    ),
  },
  'broken-off': {
    ...session(
      new LogBuilder()
        .user(ask)
        .add('assistant_output', 'I would begin with the', { end: 'incomplete' })
        .add('error', 'The model’s answer broke off before its end. Try again.', { code: 'stream', actions: ['retry'] })
        .done('failed'),
      {},
    ),
  },
  stopped: session(
    new LogBuilder().user(ask).add('assistant_output', 'I would begin with the', { end: 'stopped' }).done('stopped'),
    {},
  ),
  interrupted: session(new LogBuilder().user(ask).thought(thought, 3).answer('I would begin with the', true), {
    state: 'interrupted',
  }),
  limit: session(
    ran()
      .add('system_message', 'Stopped after 25 steps, the limit set by “agent.maxIterations”. Continue to let it go on.', {
        level: 'warning',
        code: 'maxIterations',
      })
      .done('limit'),
    {},
  ),
  'error-connection': {
    ...failed(
      'Ollama does not answer at http://localhost:11434. Start it, or correct the address in the settings.',
      'connection',
      ['startOllama', 'openSettings', 'retry'],
      'connect ECONNREFUSED 127.0.0.1:11434',
    ),
    do: ['click How to start Ollama', 'click Details'],
  },
  'error-model': missingModel('hf.co/somebody/Another-Very-Long-Model-Name-Instruct-GGUF:Q4_K_M'),
  'error-model-pulling': missingModel('qwen3:32b', { pulls: [pull('qwen3:32b')] }),
  'error-model-installed': missingModel('qwen3:14b'),
  'error-overflow': failed(
    'The conversation needs about 41,200 tokens, but the window is 32,768. Start a new chat, send a shorter message, or raise the context window in the settings.',
    'contextOverflow',
    ['newSession', 'openSettings'],
  ),
  odd: {
    ...session(
      new LogBuilder()
        .user(`${'A long word: '.repeat(3)}${'x'.repeat(300)}\n\nשלום עולם`, 'ask')
        .answer(odd)
        .done(),
      {},
    ),
    do: ['top'],
  },
  'odd-end': session(new LogBuilder().user('Show me the pairs', 'ask').answer(odd).done(), {}),
  'code-open': session(
    new LogBuilder()
      .user('Show me the pairs', 'ask')
      .answer(`Here they are:\n\n\`\`\`js\nconst pairs = [\n${longCode}\n];\n\`\`\``, true),
    running({ kind: 'answering', since: now }),
  ),
  'no-tools': {
    ...session(
      new LogBuilder().user('Hello', 'agent').answer('Hello. What shall we do?').done(),
      {},
      { ready: { models: { ...models, selected: { agent: 'gemma3:12b', ask: null } } } },
    ),
  },
  'no-tools-ask': scenario({
    ready: { ...ready, mode: 'ask', models: { ...models, selected: { agent: null, ask: 'gemma3:12b' } } },
  }),
  chips: {
    ...session(
      new LogBuilder()
        .user('What does this do?', 'ask', [
          { kind: 'file', path: 'src/signup.ts', content: '' },
          {
            kind: 'selection',
            path: 'packages/website/src/components/forms/validation.ts',
            startLine: 10,
            endLine: 24,
            content: '',
          },
        ])
        .answer('It reads the two fields and sends them.')
        .done(),
      {},
      {
        state: {
          drafts: { s1: 'And what of this?' },
          attachments: {
            s1: [
              { kind: 'file', path: 'src/app.ts' },
              { kind: 'selection', path: 'src/aFileWithAVeryLongNameThatHasNoEndInSight.test.ts', startLine: 10, endLine: 24 },
              { kind: 'file', path: 'README.md' },
            ],
          },
        },
      },
    ),
    do: ['suggest'],
  },
  workspaceFound: {
    ...session(
      new LogBuilder()
        .user('@workspace where are names checked?', 'ask', [
          {
            kind: 'workspace',
            path: '@workspace',
            content: '',
            places: [
              { path: 'src/signup.ts', startLine: 1, endLine: 24 },
              {
                path: 'src/components/forms/validation/aFileWithAVeryLongNameThatHasNoEndInSight.test.ts',
                startLine: 110,
                endLine: 164,
              },
              { path: 'README.md', startLine: 3, endLine: 12 },
            ],
          },
        ])
        .answer('Names are checked in `src/signup.ts`.')
        .done(),
    ),
    do: ['click Found 3 places in 3 files'],
  },
  images: {
    ...session(
      new LogBuilder()
        .user('Why is the button red?', 'ask', [imageItem('form.png'), { kind: 'file', path: 'src/signup.ts', content: '' }])
        .answer('It has the class that errors have.')
        .done(),
      {},
      {
        images: { [imageItem('').image.hash]: picture },
        state: { drafts: { s1: 'And here?' }, attachments: { s1: [imageItem('a-form-with-a-rather-long-name.png')] } },
      },
    ),
    do: ['click Show form.png large'],
  },
  'images-not-seen': scenario({
    images: { [imageItem('').image.hash]: picture },
    state: { drafts: { '': 'What is wrong here?' }, attachments: { '': [imageItem('form.png')] } },
  }),
  agents: {
    ...session(
      new LogBuilder()
        .user('Review the form', 'agent', [{ kind: 'agent', path: 'Reviewer' }])
        .answer('Line 12 trusts what is typed.')
        .done(),
      {},
      { agents: workspaceAgents, state: { agent: 'Reviewer' } },
    ),
    do: ['click Mode: Reviewer'],
  },
  'chip-suggested': { ...scenario({}), do: ['suggest'] },
  slash: { ...scenario({}), do: ['write /'] },
  'slash-filtered': { ...scenario({}), do: ['suggest', 'write /d'] },
  'code-folded': {
    ...session(
      new LogBuilder()
        .user('Show me the pairs', 'ask')
        .answer(`Here they are:\n\n\`\`\`js\n${longCode}\n\`\`\`\n\nThat is all.`)
        .done(),
      {},
    ),
  },
  'model-picker': { ...scenario({}), do: ['click Model: qwen3:14b'] },
  'mode-picker': { ...scenario({}), do: ['click Mode: Agent'] },
  'long-draft': scenario({
    state: { drafts: { '': Array.from({ length: 14 }, (_, index) => `Line ${index + 1} of what I am writing`).join('\n') } },
  }),
  'server-gone': session(
    new LogBuilder().user(ask).answer('Hello.').done(),
    {},
    { ready: { connection: { ...connection, state: 'unreachable' } } },
  ),
  world: {
    ...session(new LogBuilder().user('このフォームを検証して、结果を説明してください 👍', 'ask').answer(world).done(), {}, {}),
    do: ['top'],
  },
  'world-end': session(new LogBuilder().user('اشرح لي هذه الدالة من فضلك', 'ask').answer(world).done(), {}),
  hostile: {
    ...session(
      new LogBuilder()
        .user(hostile, 'ask')
        .answer(hostile)
        .call('c1', 'run_terminal_command', { command: 'echo \u202e"moc.elpmaxe//:sptth"' })
        .result('c1', 'run_terminal_command', hostile, { display: hostile, details: { exitCode: 0 } })
        .done(),
      {},
    ),
  },
  german: scenario({
    ready: { ...ready, l10n: german, models: { ...models, models: [] }, connection: { ...connection, state: 'unreachable' } },
  }),
  'german-approval': session(worked().add('approval', '', approval()), running({ kind: 'waitingForApproval', since: now }), {
    ready: { l10n: german },
  }),
  history: { ...scenario({ history, hasMoreHistory: true }), do: ['history'] },
  'history-end': { ...scenario({ history, hasMoreHistory: true }), do: ['history', 'key End'] },
  'history-empty': { ...scenario({}), do: ['history'] },
  'history-failed': { ...scenario({ history: 'failing' }), do: ['history'], expectsReports: true },
  'history-hover': { ...scenario({ history }), do: ['history', 'over Rename the module'] },
  'history-rename': { ...scenario({ history }), do: ['history', 'key F2'] },
  'history-menu': { ...scenario({ history }), do: ['history', 'key Shift+F10'] },
  'search-results': {
    ...scenario({ history, search: { found, hasMore: true } }),
    do: ['history', 'type form', 'settle'],
  },
  'search-opened': {
    ...session(
      worked().answer('The form is checked when it is submitted.'),
      { state: 'idle', activity: null },
      {
        history: [{ ...history[0], id: 's1' }],
        search: {
          found: [
            { ...hit({ ...history[0], id: 's1' }, null, null), line: { ...markedText("I'll look at the [form]"), seq: 3 } },
          ],
        },
      },
    ),
    do: ['history', 'type form', 'settle', 'open Validate the signup form', 'settle'],
  },
  'search-newest': {
    ...scenario({ history, search: { found } }),
    do: ['history', 'type form -tool:read_file', 'settle', 'click Newest first'],
  },
  'search-nothing': { ...scenario({ history }), do: ['history', 'type zebra crossings', 'settle'] },
  'search-indexing': {
    ...scenario({ history, search: { found: found.slice(0, 2), isComplete: false, isIndexed: false } }),
    do: ['history', 'type form', 'settle'],
  },
  'search-searching': { ...scenario({ history, search: 'searching' }), do: ['history', 'type form', 'settle'] },
  analytics: { ...scenario({ statistics }), do: ['analytics', 'settle', 'click Table : Tokens a day'] },
  'analytics-nothing': { ...scenario({}), do: ['analytics'] },
  'history-loading': { ...scenario({ history: 'loading' }), do: ['history'] },
  ...troubleScenarios({ scenario, session, settingsPage, noStorage }, { ready, connection, models, history }),
};
