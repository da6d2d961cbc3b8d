import * as vscode from 'vscode';
import type { WorkSessions } from '../../services/review/workSessions';
import type { RestoreTarget } from '../../protocol/restore';
import { isAroundCommand } from '../../types/checkpoint';
import type { ProblemCounts } from '../../services/checkpoint/checkpointProblems';
import type { CheckpointInfo } from '../../services/checkpoint/checkpointTable';
import type { Restores } from '../../services/checkpoint/host/restores';
import { AppError } from '../../utils/errors';
import type { ChangeReview } from '../review/changeReview';
import { fileOf } from './activeFile';
import type { Commands } from './register';

/** The session in front, and what is known of its workspace. */
export interface CheckpointFront {
  sessionId: string;
  restores: Restores;
  workSessions: WorkSessions;
  review: ChangeReview;
}

class NoSessionError extends AppError {
  readonly code = 'noSession';
}

/** Commands on the checkpoints of the session in front; `show` brings a plan up in the view. */
export function checkpointCommands(
  front: () => Promise<CheckpointFront | undefined>,
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
  const needFront = async (): Promise<CheckpointFront> => {
    const found = await front();
    if (found === undefined) throw new NoSessionError('No session', vscode.l10n.t('No chat is open. Open one, then try again.'));
    return found;
  };
  return {
    createCheckpoint: async () => {
      const { sessionId, restores } = await needFront();
      const title = await vscode.window.showInputBox({
        title: vscode.l10n.t('Create a checkpoint'),
        prompt: vscode.l10n.t('What it is called in the list'),
        value: vscode.l10n.t('Checkpoint'),
      });
      if (title === undefined) return;
      await restores.create(sessionId, title.trim() === '' ? vscode.l10n.t('Checkpoint') : title.trim());
      void vscode.window.showInformationMessage(vscode.l10n.t('The checkpoint was created.'));
    },
    restoreCheckpoint: async () => {
      const id = await pick(await needFront(), vscode.l10n.t('Restore a checkpoint'));
      if (id !== undefined) await show({ kind: 'checkpoint', id });
    },
    compareWithCheckpoint: async () => {
      const found = await needFront();
      const { sessionId, restores, review } = found;
      const id = await pick(found, vscode.l10n.t('Compare with a checkpoint'));
      if (id !== undefined) await review.compareAll(await restores.compare(sessionId, id));
    },
    compareFileWithCheckpoint: async (given) => {
      const found = await needFront();
      const { sessionId, restores, review } = found;
      const file = await fileOf(given);
      const id = await pick(found, vscode.l10n.t('Compare this file with a checkpoint'));
      if (id === undefined) return;
      const compared = await restores.compare(sessionId, id);
      await review.compareAll({ ...compared, changes: compared.changes.filter((change) => change.file === file) });
    },
    compareCheckpoints: async () => {
      const found = await needFront();
      const ids = [
        await pick(found, vscode.l10n.t('Compare two checkpoints: the first')),
        await pick(found, vscode.l10n.t('Compare two checkpoints: the second')),
      ];
      const [one, other] = ids;
      if (one === undefined || other === undefined) return;
      // Their ids are in the order of their times.
      const [before, after] = one < other ? [one, other] : [other, one];
      const changes = await found.restores.compareAround({ before, after });
      if (changes.length === 0)
        void vscode.window.showInformationMessage(vscode.l10n.t('The two checkpoints hold the same files.'));
      else await found.review.compareStates(changes, vscode.l10n.t('Changed between the two checkpoints'));
    },
    approveSession: async () => {
      const { sessionId, workSessions } = await needFront();
      const message = await vscode.window.showInputBox({
        title: vscode.l10n.t('Approve the session'),
        prompt: vscode.l10n.t('A message for the history, if you like. What waits for an answer is kept.'),
      });
      if (message !== undefined) await workSessions.approve(sessionId, message.trim() || null);
    },
    resetSession: async () => {
      await needFront();
      await show({ kind: 'approved' });
    },
  };
}

/** Lets a person pick a checkpoint, the newest first; those around commands are shown on demand. */
async function pick({ sessionId, restores }: CheckpointFront, title: string): Promise<string | undefined> {
  const all = await restores.list(sessionId, { hasCommands: true });
  const [items, allItems] = [itemsOf(all.filter(({ kind }) => !isAroundCommand(kind))), itemsOf(all)];
  const more = { id: null, label: vscode.l10n.t('Show checkpoints around commands too') };
  const picked = await ask(allItems.length > items.length ? [...items, more] : items, title);
  if (picked?.id !== null) return picked?.id;
  return (await ask(allItems, title))?.id;
}

function itemsOf(checkpoints: readonly CheckpointInfo[]) {
  return checkpoints
    .filter(({ state }) => state === 'taken')
    .toReversed()
    .map(({ id, title: label, createdAt, workSession, leftOut }) => {
      const detail = [workSession, ...leftOutTexts(leftOut)].join(' · ');
      return { id, label, description: new Date(createdAt).toLocaleString(vscode.env.language), detail };
    });
}

function leftOutTexts({ count, unstableCount }: ProblemCounts): string[] {
  const missing = count - unstableCount;
  const missingText =
    missing === 1
      ? vscode.l10n.t('1 file is not in it')
      : vscode.l10n.t('{0} files are not in it', missing.toLocaleString(vscode.env.language));
  const unstableText =
    unstableCount === 1
      ? vscode.l10n.t('1 file was changing while it was taken')
      : vscode.l10n.t('{0} files were changing while it was taken', unstableCount.toLocaleString(vscode.env.language));
  return [...(missing > 0 ? [missingText] : []), ...(unstableCount > 0 ? [unstableText] : [])];
}

async function ask<T extends vscode.QuickPickItem>(items: readonly T[], title: string): Promise<T | undefined> {
  const placeHolder =
    items.length === 0 ? vscode.l10n.t('This chat has no checkpoints yet') : vscode.l10n.t('Choose a checkpoint');
  return vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
}
