import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { StorageCare } from '../../services/checkpoint/host/storageCare';
import { isCancelled } from '../../utils/errors';
import { confirm } from '../../vscode/confirm';
import { withVerifyProgress } from '../../vscode/verifyProgress';
import { leftOutOf, type NameFile } from './restoreHandlers';

type CheckpointStorageApi = Pick<
  HostApi,
  | 'readCheckpointStorage'
  | 'verifyStorage'
  | 'healStorage'
  | 'collectGarbage'
  | 'listStoredCheckpoints'
  | 'removeCheckpoint'
  | 'removeOldCheckpoints'
  | 'makeRoom'
>;

/** Files that are named; the others are counted. */
const namedFiles = 20;

/** Checkpoints of a chat that are named. */
const namedCheckpoints = 500;

/** Requests of the settings page about what checkpoints have stored. Whatever removes one is asked again in a native dialog. */
export function checkpointStorageHandlers(care: StorageCare, nameFile: NameFile): CheckpointStorageApi {
  return {
    readCheckpointStorage: async () => {
      const { bytes, objects, checkpoints, sessions, approved, originals, freeable } = await care.account();
      return { bytes, limit: care.limit(), objects, checkpoints, sessions, approved, originals, freeable };
    },
    verifyStorage: async () => {
      const verified = await withVerifyProgress((watch) => care.verify(watch)).then(undefined, nullIfCancelled);
      if (verified === null) return null;
      const { objects, problems, files } = verified;
      const damaged = problems.filter(({ hash }) => hash !== null).length;
      const hasFlaws = problems.length > damaged;
      return { objects, damaged, hasFlaws, files: files.slice(0, namedFiles), moreFiles: Math.max(0, files.length - namedFiles) };
    },
    healStorage: () => care.heal(),
    collectGarbage: async () => ({ bytes: await care.collectGarbage() }),
    listStoredCheckpoints: async ({ sessionId }) => {
      const { checkpoints, more } = await care.stored(sessionId, namedCheckpoints);
      return {
        checkpoints: checkpoints.map(({ problems, ...one }) => ({ ...one, leftOut: leftOutOf(problems, nameFile) })),
        more,
      };
    },
    removeCheckpoint: async ({ id }) => {
      const question = vscode.l10n.t('Delete the checkpoint “{0}”?', await care.titleOf(id));
      return (await isSure(question, 1)) ? { removed: 1, bytes: await care.remove(id) } : { removed: null, bytes: 0 };
    },
    removeOldCheckpoints: async ({ days }) => {
      const { checkpoints, originals } = await care.countOlder(days);
      if (checkpoints + originals === 0) return { removed: 0, originals: 0, bytes: 0 };
      const question =
        days === 1
          ? vscode.l10n.t('Delete the checkpoints that are older than a day?')
          : vscode.l10n.t('Delete the checkpoints that are older than {0} days?', days);
      const isAgreed = await isSure(question, checkpoints, originals);
      return isAgreed ? care.removeOlder(days) : { removed: null, originals: 0, bytes: 0 };
    },
    makeRoom: async () => {
      const { approved, originals } = await care.account();
      const question =
        approved.count > 0
          ? vscode.l10n.t('Delete the oldest checkpoints of approved work, as many as it takes?')
          : vscode.l10n.t('Delete the oldest former contents of kept files, as many as it takes?');
      if (approved.count + originals > 0 && !(await isSure(question, approved.count, originals)))
        return { removed: null, originals: 0, bytes: 0, isEnough: false };
      return care.makeRoom();
    },
  };
}

function nullIfCancelled(error: unknown): null {
  if (isCancelled(error)) return null;
  throw error;
}

/** `originals` is the number of kept files whose originals go too, at the most. */
function isSure(text: string, count: number, originals = 0): Promise<boolean> {
  const ofKept =
    originals === 0
      ? []
      : [
          vscode.l10n.t(
            'The former contents of kept files are deleted too, {0} at the most. Keeping these files cannot be undone then. Pending changes are not affected.',
            originals,
          ),
        ];
  const ofCheckpoints =
    count === 1
      ? vscode.l10n.t(
          'It is one checkpoint. Its state of the workspace cannot be brought back then. Files and chats stay as they are.',
        )
      : vscode.l10n.t(
          'They are {0} at the most. Their states of the workspace cannot be brought back then. Files, chats and approved states stay as they are.',
          count,
        );
  const detail = [...(count === 0 ? [] : [ofCheckpoints]), ...ofKept].join(' ');
  return confirm({ text, detail, yes: vscode.l10n.t('Delete') });
}
