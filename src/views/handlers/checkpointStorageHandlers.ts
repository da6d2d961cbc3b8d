import * as vscode from 'vscode';
import { shownTitle } from '../../types/checkpointTitle';
import { formatNumber } from '../../types/format';
import type { HostApi } from '../../protocol/hostApi';
import type { StorageCare } from '../../services/checkpoint/host/storageCare';
import { isCancelled } from '../../utils/errors';
import { confirm } from '../../vscode/confirm';
import { withVerifyProgress } from '../../vscode/verifyProgress';
import { toLeftOut, type NameFile } from './restoreHandlers';

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

/** Maximum number of listed files. Further files are only counted. */
const namedFiles = 20;

/** Maximum number of Git histories in a question. Further histories are only counted. */
const namedHistories = 5;

/** Maximum number of listed checkpoints of a chat. */
const namedCheckpoints = 500;

/** Creates the handlers of the settings page for checkpoint storage. Deletions need confirmation in a native dialog. */
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
        checkpoints: checkpoints.map(({ problems, ...one }) => ({ ...one, leftOut: toLeftOut(problems, nameFile) })),
        more,
      };
    },
    removeCheckpoint: async ({ id }) => {
      const question = vscode.l10n.t('Delete the checkpoint “{0}”?', shownTitle(await care.readTitle(id), vscode.l10n.t));
      const histories = await care.historiesIn({ id });
      return (await isSure(question, { checkpoints: 1, originals: 0, histories }))
        ? { removed: 1, bytes: await care.remove(id) }
        : { removed: null, bytes: 0 };
    },
    removeOldCheckpoints: async ({ days }) => {
      const deleted = await care.countOlder(days);
      if (deleted.checkpoints + deleted.originals === 0) return { removed: 0, originals: 0, bytes: 0 };
      const question =
        days === 1
          ? vscode.l10n.t('Delete checkpoints older than one day?')
          : vscode.l10n.t('Delete checkpoints older than {0} days?', formatNumber(days));
      const isAgreed = await isSure(question, deleted);
      return isAgreed ? care.removeOlder(days) : { removed: null, originals: 0, bytes: 0 };
    },
    makeRoom: async () => {
      const { approved, originals } = await care.account();
      const question =
        approved.count > 0
          ? vscode.l10n.t('Delete the oldest approved checkpoints until there is enough disk space?')
          : vscode.l10n.t('Delete the oldest previous contents of kept files until there is enough disk space?');
      const deleted = { checkpoints: approved.count, originals, histories: await care.historiesIn('approved') };
      if (approved.count + originals > 0 && !(await isSure(question, deleted)))
        return { removed: null, originals: 0, bytes: 0, isEnough: false };
      return care.makeRoom();
    },
  };
}

function nullIfCancelled(error: unknown): null {
  if (isCancelled(error)) return null;
  throw error;
}

/** Upper limits for what a deletion removes. */
interface Deleted {
  checkpoints: number;
  /** Number of kept files whose previous contents are also deleted. */
  originals: number;
  /** Folders of saved Git histories. */
  histories: readonly string[];
}

function isSure(text: string, { checkpoints: count, originals, histories }: Deleted): Promise<boolean> {
  const ofKept =
    originals === 0
      ? []
      : [
          vscode.l10n.t(
            'Also deletes the previous contents of up to {0} kept files. You can no longer undo Keep for these files. Pending changes are not affected.',
            formatNumber(originals),
          ),
        ];
  const ofCheckpoints =
    count === 1
      ? vscode.l10n.t('You can no longer restore the workspace to this checkpoint. Files and chats are not changed.')
      : vscode.l10n.t(
          'Deletes up to {0} checkpoints. You can no longer restore the workspace to them. Files, chats and approved states are not changed.',
          formatNumber(count),
        );
  const detail = [...(count === 0 ? [] : [ofCheckpoints]), ...ofHistories(histories), ...ofKept].join(' ');
  return confirm({ text, detail, yes: vscode.l10n.t('Delete') });
}

function ofHistories(folders: readonly string[]): string[] {
  if (folders.length === 0) return [];
  const named = folders.slice(0, namedHistories);
  const more = folders.length - named.length;
  const names = [...named, ...(more > 0 ? [vscode.l10n.t('{0} more', formatNumber(more))] : [])].join(', ');
  return [vscode.l10n.t('Also deletes the Git histories that were saved before commands: {0}', `${names}.`)];
}
