import { german, now, ready } from './base.mjs';
import { settingsPage } from './settings.mjs';

const stored = {
  bytes: 1.24e9,
  limit: 5e9,
  objects: 12_480,
  originals: 14,
  freeable: 3e6,
  checkpoints: 348,
  approved: { count: 112, oldest: now - 90 * 24 * 3_600_000 },
  sessions: [
    ['Add input validation to the signup form', 41, 2.1e9, 2.2e8],
    ['Why does the build take four minutes, and what can be done about it in the time that is left?', 128, 1.9e9, 3.1e7],
    ['Rename the tables', 1, 1.9e9, 0],
    ['', 12, 4.4e5, 1.2e4],
  ].map(([title, checkpoints, bytes, ownBytes], index) => ({ sessionId: String(index), title, checkpoints, bytes, ownBytes })),
};

export const nothingLeftOut = { count: 0, unstableCount: 0, files: [] };
export const leftOut = {
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

export const checkpointSettingsScenarios = {
  'settings-checkpoints': settingsPage(['tab Checkpoints', 'show Verify'], { stored }),
  'settings-checkpoints-over': settingsPage(['tab Checkpoints', 'click Verify', 'show Stored by chat'], {
    stored: { ...stored, bytes: 5.4e9 },
    verified: {
      objects: 12_480,
      damaged: 2,
      hasFlaws: false,
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
      'click 19 files are not in this checkpoint · 4 files changed while the checkpoint was created',
      'show Checkpoints of this chat',
    ],
    { stored, storedCheckpoints },
  ),
  'settings-checkpoints-empty': settingsPage(['tab Checkpoints'], {
    stored: { ...stored, bytes: 0, objects: 0, checkpoints: 0, sessions: [] },
  }),
  'settings-checkpoints-german': settingsPage(['tab Prüfpunkte', 'show Gespeichert nach Chat'], {
    stored: { ...stored, bytes: 5.4e9 },
    ready: { ...ready, l10n: german },
  }),
};
