import { LogBuilder } from '../entries.mjs';
import { answer } from '../texts.mjs';
import { ask, connection, ready, scenario, session } from './base.mjs';

export const noStorage = (code, message, actions, more = {}) => ({
  storage: {
    state: 'unavailable',
    problem: { code, message, folder: '/home/robin/.config/Code/User/globalStorage/ollama-copilot.ollama-copilot/3f1c', actions },
    ...more,
  },
});

const damaged = noStorage(
  'corrupt',
  'The chat history file is damaged. It was left unchanged and is not used. Set the file aside and start fresh, or close all windows and restore sessions.sqlite from a backup.',
  ['setAside', 'retry', 'openFolder', 'chooseFolder', 'showLog'],
);

const locked = (more) =>
  noStorage(
    'locked',
    'Another program is blocking the chat history. Close other windows or programs that have it open, then try again.',
    ['retry', 'openFolder', 'showLog'],
    more,
  );

/** Copy of the text in `src/protocol/text/damagedEntry.ts`. */
const damagedNotice = 'This entry changed on disk after it was saved. The database now contains:';

const written = { drafts: { '': 'Add input validation to the signup form, and tests for it' } };

export const storageScenarios = {
  'storage-damaged': { ...scenario({ ready: { ...ready, ...damaged }, state: written }) },
  'storage-replaced': scenario({
    ready: {
      ...ready,
      ...noStorage(
        'replaced',
        'Another program replaced or removed the chat history file sessions.sqlite. What was stored until then is copied to the folder “backups” of the storage. Check both files, then try again.',
        ['retry', 'openFolder', 'chooseFolder', 'showLog'],
      ),
    },
  }),
  'damaged-entry': {
    ...session(
      new LogBuilder()
        .user(ask)
        .add('system_message', `${damagedNotice}\n\nThe form is checked when it is subm\u0017tted.`, {
          level: 'warning',
          code: 'damaged',
        })
        .done(),
    ),
  },
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
};
