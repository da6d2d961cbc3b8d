import * as vscode from 'vscode';
import { shownTitle, shownWorkSession } from '../../types/checkpointTitle';
import { dateAndTime, formatNumber } from '../../types/format';
import type { WorkSessions } from '../../services/review/workSessions';
import type { RestoreTarget } from '../../protocol/restore';
import { isAroundCommand } from '../../types/checkpoint';
import type { ProblemCounts } from '../../services/checkpoint/checkpointProblems';
import type { CheckpointInfo } from '../../services/checkpoint/checkpointTable';
import type { Restores } from '../../services/checkpoint/host/restores';
import { AppError } from '../../utils/errors';
import type { ChangeReview } from '../review/changeReview';
import { findFile } from './activeFile';
import type { Commands } from './register';

export interface SessionCheckpoints {
  sessionId: string;
  restores: Restores;
  workSessions: WorkSessions;
  review: ChangeReview;
}

class NoSessionError extends AppError {
  readonly code = 'noSession';
}

/** Creates the commands for checkpoints. `show` shows a restore plan in the view. */
export function checkpointCommands(
  session: () => Promise<SessionCheckpoints | undefined>,
  show: (target: RestoreTarget) => Promise<void>,
): Commands<
  | 'createCheckpoint'
  | 'restoreCheckpoint'
  | 'compareWithCheckpoint'
  | 'compareFileWithCheckpoint'
  | 'compareCheckpoints'
  | 'approveSession'
  | 'resetSession'
> {
  const needSession = async (): Promise<SessionCheckpoints> => {
    const found = await session();
    if (found === undefined)
      throw new NoSessionError('No session', vscode.l10n.t('No chat is open. Open a chat, then try again.'));
    return found;
  };
  return {
    createCheckpoint: async () => {
      const { sessionId, restores } = await needSession();
      const title = await vscode.window.showInputBox({
        title: vscode.l10n.t('Create checkpoint'),
        prompt: vscode.l10n.t('Name of the checkpoint'),
        value: vscode.l10n.t('Checkpoint'),
      });
      if (title === undefined) return;
      await restores.create(sessionId, title.trim() === '' ? vscode.l10n.t('Checkpoint') : title.trim());
      void vscode.window.showInformationMessage(vscode.l10n.t('The checkpoint was created.'));
    },
    restoreCheckpoint: async () => {
      const id = await pick(await needSession(), vscode.l10n.t('Restore checkpoint'));
      if (id !== undefined) await show({ kind: 'checkpoint', id });
    },
    compareWithCheckpoint: async () => {
      const found = await needSession();
      const { sessionId, restores, review } = found;
      const id = await pick(found, vscode.l10n.t('Compare with checkpoint'));
      if (id !== undefined) await review.compareAll(await restores.compare(sessionId, id));
    },
    compareFileWithCheckpoint: async (given) => {
      const found = await needSession();
      const { sessionId, restores, review } = found;
      const file = await findFile(given);
      const id = await pick(found, vscode.l10n.t('Compare file with checkpoint'));
      if (id === undefined) return;
      const compared = await restores.compare(sessionId, id);
      await review.compareAll({ ...compared, changes: compared.changes.filter((change) => change.file === file) });
    },
    compareCheckpoints: async () => {
      const found = await needSession();
      const ids = [
        await pick(found, vscode.l10n.t('Compare two checkpoints: first checkpoint')),
        await pick(found, vscode.l10n.t('Compare two checkpoints: second checkpoint')),
      ];
      const [one, other] = ids;
      if (one === undefined || other === undefined) return;
      // Checkpoint IDs sort by time.
      const [before, after] = one < other ? [one, other] : [other, one];
      const changes = await found.restores.compareAround({ before, after });
      if (changes.length === 0)
        void vscode.window.showInformationMessage(vscode.l10n.t('The two checkpoints contain the same files.'));
      else await found.review.compareStates(changes, vscode.l10n.t('Changes between the two checkpoints'));
    },
    approveSession: async () => {
      const { sessionId, workSessions } = await needSession();
      const message = await vscode.window.showInputBox({
        title: vscode.l10n.t('Approve work session'),
        prompt: vscode.l10n.t('Optional message for the history. Pending changes are kept.'),
      });
      if (message !== undefined) await workSessions.approve(sessionId, message.trim() || null);
    },
    resetSession: async () => {
      await needSession();
      await show({ kind: 'approved' });
    },
  };
}

/** Lets the user pick a checkpoint, newest first. Shows checkpoints around commands only on demand. */
async function pick({ sessionId, restores }: SessionCheckpoints, title: string): Promise<string | undefined> {
  const all = await restores.list(sessionId, { hasCommands: true });
  const items = toItems(all.filter(({ kind }) => !isAroundCommand(kind)));
  const allItems = toItems(all);
  const more = { id: null, label: vscode.l10n.t('Also show checkpoints around commands') };
  const picked = await ask(allItems.length > items.length ? [...items, more] : items, title);
  if (picked?.id !== null) return picked?.id;
  return (await ask(allItems, title))?.id;
}

function toItems(checkpoints: readonly CheckpointInfo[]) {
  return checkpoints
    .filter(({ state }) => state === 'taken')
    .toReversed()
    .map(({ id, title, createdAt, workSession, leftOut }) => {
      const detail = [shownWorkSession(workSession, vscode.l10n.t), ...leftOutTexts(leftOut)].join(' · ');
      return { id, label: shownTitle(title, vscode.l10n.t), description: dateAndTime(createdAt), detail };
    });
}

function leftOutTexts({ count, unstableCount }: ProblemCounts): string[] {
  const missing = count - unstableCount;
  const missingText =
    missing === 1 ? vscode.l10n.t('1 file is not stored') : vscode.l10n.t('{0} files are not stored', formatNumber(missing));
  const unstableText =
    unstableCount === 1
      ? vscode.l10n.t('1 file changed while the checkpoint was created')
      : vscode.l10n.t('{0} files changed while the checkpoint was created', formatNumber(unstableCount));
  return [...(missing > 0 ? [missingText] : []), ...(unstableCount > 0 ? [unstableText] : [])];
}

async function ask<T extends vscode.QuickPickItem>(items: readonly T[], title: string): Promise<T | undefined> {
  const placeHolder =
    items.length === 0 ? vscode.l10n.t('This chat has no checkpoints yet') : vscode.l10n.t('Select a checkpoint');
  return vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
}
