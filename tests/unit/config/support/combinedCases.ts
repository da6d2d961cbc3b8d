import type { Places } from './settingPlaces';

/** Setting, its values by place, and the effective value: the strictest one. */
export type SettingCase = readonly [key: string, places: Places, inForce: unknown];

/** Settings that send data. If any place turns one off, it is off. */
const sending = [
  ...['enableAutoComplete', 'chat.implicitContext', 'chat.readAhead', 'completionMode.multiline', 'completionMode.inComments'],
  ...['languageModels.provide', 'search.enabled', 'completionMode.nextEdit', 'agent.sessionTitleGeneration'],
];
/** Settings in `sending` that are off by default. */
const offByDefault = new Set(['completionMode.nextEdit']);
const protecting = ['checkpoints.enabled', 'checkpoints.aroundCommands'];
const numbers: readonly [key: string, byDefault: number, less: number, more: number][] = [
  ['completionMode.maxTokens', 200, 64, 2000],
  ['completionMode.maxPrefixChars', 8000, 1000, 200_000],
  ['completionMode.maxSuffixChars', 4000, 0, 200_000],
  ['agent.maxIterations', 25, 5, 1000],
  ['agent.maxSubagents', 1, 1, 8],
  ['agent.maxActiveSessions', 1, 1, 50],
  ['search.maxStorageMB', 1000, 100, 100_000],
];

function sendingCases(key: string): SettingCase[] {
  const byDefault = !offByDefault.has(key);
  return [
    [key, {}, byDefault],
    [key, { workspace: true }, byDefault],
    [key, { workspace: false }, false],
    [key, { user: false, workspace: true }, false],
    [key, { user: true, workspace: false }, false],
    [key, { user: false, folder: true }, false],
    [key, { user: true, folder: false }, false],
    [key, { user: true, machine: false, workspace: true }, false],
    [key, { user: false, workspace: 'true' }, false],
    [key, { user: true, workspace: 0 }, true],
  ];
}

function protectingCases(key: string): SettingCase[] {
  return [
    [key, { workspace: false }, true],
    [key, { user: true, workspace: false }, true],
    [key, { user: false, workspace: true }, true],
    [key, { user: false, folder: true }, true],
    [key, { user: true, folder: false }, true],
    [key, { user: false, workspace: false }, false],
    [key, { user: true, machine: false, workspace: false }, false],
    [key, { user: true, workspace: 'false' }, true],
    [key, { user: false, workspace: 1 }, false],
  ];
}

function numberCases([key, byDefault, less, more]: (typeof numbers)[number]): SettingCase[] {
  return [
    [key, { workspace: more }, byDefault],
    [key, { workspace: less }, less],
    [key, { user: less, workspace: more }, less],
    [key, { user: more, workspace: less }, less],
    [key, { user: more, folder: less }, less],
    [key, { user: less, workspace: more, folder: more }, less],
    [key, { user: more, machine: less, workspace: more }, less],
    [key, { user: less, workspace: -1 }, less],
    [key, { user: less, workspace: '1000000' }, less],
    [key, { user: less, workspace: 1.5e300 }, less],
  ];
}

const off = 'agent.disabledTools';
const files = 'agent.instructionFiles';
const languages = 'completionMode.languages';

const lists: readonly SettingCase[] = [
  [off, { user: ['run_terminal_command'], workspace: [] }, ['run_terminal_command']],
  [off, { user: ['run_terminal_command'], workspace: ['read_file'] }, ['run_terminal_command', 'read_file']],
  [off, { user: ['write_file'], workspace: ['write_file'] }, ['write_file']],
  [off, { user: ['write_file'], folder: [] }, ['write_file']],
  [off, { user: ['write_file'], workspace: ['a'], folder: ['b'] }, ['write_file', 'a', 'b']],
  [off, { workspace: ['delete_file'] }, ['delete_file']],
  [off, { user: ['write_file'], workspace: 'none' }, ['write_file']],
  [off, { user: ['write_file'], workspace: [null] }, ['write_file']],
  [off, { user: ['write_file'], machine: ['delete_file'], workspace: [] }, ['delete_file']],
  [files, { user: [], workspace: ['AGENTS.md', 'CLAUDE.md'] }, []],
  [files, { user: ['AGENTS.md'], workspace: ['AGENTS.md', 'CLAUDE.md'] }, ['AGENTS.md']],
  [files, { user: ['AGENTS.md', 'CLAUDE.md'], workspace: ['CLAUDE.md'] }, ['CLAUDE.md']],
  [files, { user: ['AGENTS.md'], workspace: [] }, []],
  [files, { workspace: ['AGENTS.md', 'EVIL.md'] }, ['AGENTS.md']],
  [files, { user: ['AGENTS.md'], folder: ['CLAUDE.md'] }, []],
  [files, { user: ['AGENTS.md'], workspace: { '*': true } }, ['AGENTS.md']],
  [languages, { user: { '*': false }, workspace: { '*': true } }, { '*': false }],
  [
    languages,
    { user: { '*': false, python: true }, workspace: { '*': true, go: true } },
    { '*': false, python: true, go: false },
  ],
  [languages, { user: { dotenv: false }, workspace: { dotenv: true } }, { '*': true, dotenv: false }],
  [languages, { user: { python: true }, workspace: { '*': false } }, { '*': false, python: false }],
  [languages, { user: { '*': false, python: true }, workspace: { python: false } }, { '*': false, python: false }],
  [languages, { workspace: { markdown: false } }, { '*': true, markdown: false }],
  [languages, { user: { dotenv: false }, folder: { dotenv: true } }, { '*': true, dotenv: false }],
  [languages, { user: { dotenv: false }, workspace: { dotenv: 'yes' } }, { dotenv: false }],
  [languages, { user: { dotenv: false }, workspace: [] }, { dotenv: false }],
  [languages, { user: { dotenv: false } }, { dotenv: false }],
];

export const combinedCases: readonly SettingCase[] = [
  ...sending.flatMap(sendingCases),
  ...protecting.flatMap(protectingCases),
  ...numbers.flatMap(numberCases),
  ...lists,
];
