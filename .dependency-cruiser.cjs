/** The layers of the extension: a module imports from its own layer and from those to its left, never upwards. */
const layers = [
  ['types', 'utils'],
  ['config'],
  ['protocol'],
  ['services'],
  ['agent', 'completion', 'mcp'],
  ['core'],
  ['api'],
  ['serve'],
  ['cli'],
  ['vscode', 'views'],
];

/** What a feature of the view may take from another's folder; all may use `common` and what lies beside the folders. */
const features = {
  common: [],
  markdown: [],
  changes: [],
  composer: [],
  analytics: [],
  sessions: ['composer/pickers/useGrants\\.ts', 'settings/catalogue\\.ts'],
  start: ['settings/catalogue\\.ts'],
  settings: ['composer/pickers/useModels\\.ts', 'start/(PullModels\\.vue|usePulls\\.ts)'],
  conversation: ['(changes|composer|markdown|start)/', 'sessions/(matchPlace|useSession)\\.ts', 'settings/catalogue\\.ts'],
};

/** What a room of `services` may take from another's: in this order, so that none stands on one that stands on it. */
const rooms = {
  network: [],
  model: ['network/'],
  syntax: [],
  database: [],
  terminal: ['network/', 'syntax/grammars\\.ts', 'git/(ignoreRules|repository)\\.ts'],
  files: ['database/(sessions/windowOwner|sqlite/databaseFile)\\.ts', 'git/neverRules\\.ts'],
  git: ['checkpoint/(fileSystem|engine/scan/fileReader)\\.ts', 'terminal/run/(childProcessRunner|groupWatch)\\.ts'],
  codebase: [
    'network/',
    'model/serverArbiter\\.ts',
    'search/',
    'syntax/',
    'database/sqlite/',
    'database/search/projectScope\\.ts',
    'files/workspacePaths\\.ts',
  ],
  search: ['git/', 'checkpoint/fileSystem\\.ts', 'database/sqlite/databaseFile\\.ts'],
  checkpoint: ['database/', 'git/', 'terminal/judge/'],
  review: ['database/', 'files/', 'checkpoint/(host/|engine/approvalSessions\\.ts)'],
  export: [],
  testing: [],
  instructions: ['files/workspacePorts\\.ts', 'search/workspaceWalk\\.ts'],
  import: ['database/', 'checkpoint/(fileSystem\\.ts|engine/)', 'codebase/lance/port\\.ts'],
};

const pattern = (names) => `^src/(${names.join('|')})/`;
const upward = layers.slice(0, -1).map((layer, index) => ({
  name: `no-upward-import-from-${layer[0]}`,
  severity: 'error',
  from: { path: pattern(layer) },
  to: {
    path: `${pattern(layers.slice(index + 1).flat())}|^src/(composition/|(host|extension)\\.ts$)`,
  },
}));

const acrossFeatures = Object.entries(features).map(([feature, allowed]) => ({
  name: `webview-${feature}-takes-only-what-is-listed`,
  severity: 'error',
  from: { path: `^src/webview/${feature}/` },
  to: { path: '^src/webview/[a-z]+/', pathNot: `^src/webview/(${[`${feature}/`, 'common/', ...allowed].join('|')})` },
}));

const acrossRooms = Object.entries(rooms).map(([room, allowed]) => ({
  name: `services-${room}-takes-only-what-is-listed`,
  severity: 'error',
  from: { path: `^src/services/${room}/` },
  to: { path: '^src/services/[a-z]+/', pathNot: `^src/services/(${[`${room}/`, ...allowed].join('|')})` },
}));

module.exports = {
  forbidden: [
    ...upward,
    ...acrossFeatures,
    ...acrossRooms,
    {
      name: 'terminal-judge-parse-and-rules-take-nothing-from-the-judge',
      severity: 'error',
      from: { path: '^src/services/terminal/judge/(parse|rules)/' },
      to: { path: '^src/services/terminal/judge/', pathNot: '^src/services/terminal/judge/$1/' },
    },
    {
      name: 'core-does-not-know-vscode',
      comment: 'Only src/vscode, src/views, the container and the entry may import the editor.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(vscode|views)/|^src/(composition/|(host|extension)\\.ts$)',
      },
      to: { path: '(^|/)(@types/)?vscode(/|$)' },
    },
    {
      name: 'webview-imports-only-types-and-protocol',
      severity: 'error',
      from: { path: '^src/webview/' },
      to: { path: '^src/', pathNot: '^src/(webview|types|protocol)/' },
    },
    {
      name: 'protocol-is-portable',
      comment: 'The browser loads it too.',
      severity: 'error',
      from: { path: '^src/(protocol|types)/' },
      to: { pathNot: '^src/(protocol|types)/|^node_modules/' },
    },
    { name: 'nobody-imports-the-webview', severity: 'error', from: { path: '^src/(?!webview/)' }, to: { path: '^src/webview/' } },
    {
      name: 'lance-only-by-its-port',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/services/codebase/lance/' },
      to: { path: '^src/services/codebase/lance/', pathNot: '/port\\.ts$' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'source-does-not-import-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^tests/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
