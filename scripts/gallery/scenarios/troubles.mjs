import { LogBuilder } from '../entries.mjs';
import { answer, thought } from '../texts.mjs';
import { ask, connection, failed, models, ready, running, scenario, session } from './base.mjs';
import { history } from './history.mjs';
import { settingsPage } from './settings.mjs';
import { noStorage } from './storage.mjs';

const since = Date.now();
const asked = () => new LogBuilder().user(ask);
const said = () => asked().thought(thought, 6).answer(answer.slice(0, 330), true);

const unknown = { models: [], stale: true, selected: {} };
const withStorage = (...problem) => scenario({ ready: { ...ready, ...noStorage(...problem) } });
const noticed = (text, code, workspace = {}) =>
  session(
    asked().add('system_message', text, { level: 'warning', code }).answer(answer.slice(0, 330)).done(),
    {},
    { ready: { workspace: { ...ready.workspace, ...workspace } } },
  );

/** States in which something is pending, blocked or failed. */
export const troubleScenarios = {
  looking: scenario({ ready: { ...ready, models: unknown, connection: { ...connection, state: 'unknown', version: null } } }),
  opening: {
    ...scenario({ history, pending: ['openSession'] }),
    do: ['history', 'open Rename the module'],
  },
  'loading-earlier': {
    ...session(
      Array.from({ length: 4 }).reduce(
        (log, _, turn) =>
          log
            .user(`Question ${turn + 1}`, 'ask')
            .answer(answer)
            .done(),
        new LogBuilder(),
      ),
      {},
      { pageSize: 3, pending: ['earlierEntries'] },
    ),
    do: ['top', 'settle', 'top'],
  },
  connecting: session(asked(), running({ kind: 'connecting', since: since - 14_000 })),
  stopping: session(said(), running({ kind: 'stopping' })),
  'in-line': session(asked(), { state: 'queued', activity: { kind: 'queued', position: 2 } }),
  elsewhere: session(said(), { state: 'elsewhere' }),
  'problem-line': {
    ...session(
      said().done('stopped'),
      {},
      {
        failing: {
          continueRun:
            'Could not read or write the chat history. Check the disk and the storage folder. See the log for details.',
        },
      },
    ),
    do: ['click Continue'],
    expectsReports: true,
  },
  rewound: {
    ...session(
      asked()
        .answer('The form is checked when it is submitted.')
        .done()
        .add('rewind', '', { fromSeq: 1 })
        .user('Only the password')
        .answer(answer.slice(0, 330))
        .done(),
      {},
      {
        history: [{ ...history[0], id: 's1', state: 'idle' }],
        search: {
          found: [
            {
              session: { ...history[0], id: 's1', state: 'idle' },
              title: { text: history[0].title, marks: [] },
              line: { text: 'The form is checked when it is submitted.', marks: [[4, 8]], seq: 2 },
            },
          ],
        },
      },
    ),
    do: ['history', 'type form', 'settle', `open ${history[0].title}`, 'settle'],
  },
  'storage-full': withStorage('full', 'The disk with the chat history is full. Free up disk space, then try again.', [
    ...['retry', 'chooseFolder', 'openFolder', 'showLog'],
  ]),
  'storage-readonly': withStorage(
    'readonly',
    'Could not write to the chat history. Check the permissions of the storage folder, then try again.',
    ['retry', 'chooseFolder', 'openFolder', 'showLog'],
  ),
  'storage-foreign': withStorage(
    'foreign',
    'The storage folder contains a sessions.sqlite file from another program. The file was left unchanged. Choose another storage folder in the settings.',
    ['chooseFolder', 'retry', 'openFolder', 'showLog'],
  ),
  'notice-folder': noticed(
    'No folder is open, so the agent has no tools. Open a folder to let the agent read and change files.',
    'noFolder',
    {
      name: null,
      hasFolder: false,
    },
  ),
  'notice-untrusted': noticed(
    'This workspace is not trusted, so the agent has no tools. Trust the workspace to let the agent read and change files.',
    'untrusted',
    { isTrusted: false },
  ),
  'notice-readonly': noticed(
    'Could not write packages/website/src/components/forms/validation.ts because its folder is read-only. Make the folder writable or open another folder, then ask again.',
    'readOnly',
  ),
  'error-token': failed(
    'The server at https://ollama.example.org requires a valid access token. Set the access token, then try again.',
    ...['auth', ['setToken', 'retry'], 'HTTP 401: not authorized'],
  ),
  'error-load': failed(
    'There is not enough memory for the model “qwen3:14b”. Choose a smaller model, or reduce the context window in the settings.',
    ...[
      'modelLoad',
      ['selectModel', 'retry'],
      'HTTP 500: model requires more system memory (12.4 GiB) than is available (7.6 GiB)',
    ],
  ),
  'error-busy': failed(
    'Ollama is busy with other requests. Try again in a moment.',
    'serverBusy',
    ['retry'],
    'HTTP 503: server busy',
  ),
  'settings-models-looking': settingsPage(['tab Models'], {
    ready: { ...ready, models: unknown, connection: { ...connection, state: 'unknown', version: null } },
  }),
  'settings-models-unreachable': settingsPage(['tab Models'], {
    ready: { ...ready, models: unknown, connection: { ...connection, state: 'unreachable', version: null } },
  }),
  'settings-models-last-seen': settingsPage(['tab Models'], {
    ready: { ...ready, models: { ...models, stale: true }, connection: { ...connection, state: 'unreachable', version: null } },
  }),
  'settings-models-failed': {
    ...settingsPage(['tab Models', 'click Unload qwen3:14b', 'show Models on the server'], {
      failing: {
        unloadModel: 'Ollama does not respond at http://localhost:11434. Start Ollama, or change the server address.',
      },
    }),
    expectsReports: true,
  },
};
