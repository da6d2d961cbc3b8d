import { german, ready } from './base.mjs';
import { settingsPage } from './settings.mjs';

/** A server as shown in the question about a workspace. */
const database = {
  name: 'database',
  parts: [
    { label: 'Program', value: 'npx' },
    { label: 'Argument', value: '-y' },
    { label: 'Argument', value: '@example/database-server' },
    { label: 'Environment: DATABASE_URL', value: '${env:DATABASE_URL}' },
  ],
};

const mcp = {
  servers: [
    {
      name: 'files',
      origin: 'settings',
      state: 'running',
      problem: null,
      reach: 'npx server-filesystem .',
      address: null,
      signIn: 'none',
      signInOrigins: [],
      isSandboxed: true,
      warnings: [
        'The server constantly reports changes to its tools or prompts, so its lists are read only once a minute. Report this to its author.',
      ],
      tools: [
        { name: 'files__read_file', title: 'read_file', tokens: 120, isOn: true },
        { name: 'files__move_file', title: 'move_file', tokens: 90, isOn: false },
      ],
    },
    {
      name: 'tickets',
      origin: 'workspace',
      state: 'failed',
      problem: 'It ended with exit code 1.',
      reach: 'http://localhost:9000/mcp',
      address: 'http://localhost:9000/mcp',
      tools: [],
      signIn: 'needed',
      signInOrigins: [],
      isSandboxed: false,
      warnings: [],
    },
  ],
  prompts: [],
  problems: [],
  waiting: [{ path: '.vscode/mcp.json', hash: 'h', servers: [database], environment: ['DATABASE_URL'] }],
};

/** Tools of a server that was tested. */
const testedServer = {
  outcome: 'running',
  problem: null,
  warnings: ['The list of tools may be incomplete. The server keeps returning the same page. Report this to its author.'],
  log: '',
  tools: [
    ['read_text_file', 'Read the complete contents of a file from the file system as text. Handles various text encodings.', 214],
    ['write_file', 'Create a new file or completely overwrite an existing file with new content.', 131],
    ['list_allowed_directories', 'Returns the list of directories that this server is allowed to access.', 96],
  ].map(([name, about, tokens]) => ({ name, about, tokens })),
};

const failedTest = {
  outcome: 'failed',
  tools: [],
  warnings: [],
  problem: 'The program npx was not found. It is part of Node.js: install Node.js, or enter the full path of npx.',
  log: '2026-11-18T09:12:44.120Z Starting\n2026-11-18T09:12:44.131Z The program npx was not found.',
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

export const mcpSettingsScenarios = {
  'settings-tools': settingsPage(['tab Tools'], { mcp }),
  'settings-mcp-add': settingsPage(['tab Tools', 'click Add server…', 'click Fill in Memory'], { mcp }),
  'settings-mcp-reference': settingsPage(['tab Tools', 'click Add server…', 'show MCP reference servers'], { mcp }),
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
    mcp,
    mcpServer: issuesServer,
  }),
  'settings-mcp-german': settingsPage(['tab Tools', 'click Server hinzufügen…', 'click Memory übernehmen', 'show Speichern'], {
    mcp,
    ready: { ...ready, l10n: german },
  }),
};
