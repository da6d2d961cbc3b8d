import type { LeftFile, PlannedFile, StepLoss } from '../../protocol/restore';
import { beforeCommand, beforeMessage } from '../../types/checkpointTitle';
import { t } from '../translate';

/** Returns the message that a checkpoint was created for. Returns null for other checkpoints. */
export function messageOfTitle(title: string): string | null {
  return title.startsWith(beforeMessage) ? title.slice(beforeMessage.length) : null;
}

/** Returns the command that a checkpoint was created for. Returns null for other checkpoints. */
export function commandOfTitle(title: string): string | null {
  return title.startsWith(beforeCommand) ? title.slice(beforeCommand.length) : null;
}

/** Explains why a file is not restored by default. */
export function skipReasonText(reason: LeftFile['reason']): string {
  switch (reason) {
    case 'changedSince':
      return t('Changed since then, manually or by another chat');
    case 'unsaved':
      return t('Has unsaved changes, which will be saved first');
    case 'notStored':
      return t('Not in the checkpoint, because the file was too large or could not be read');
    case 'damaged':
      return t('The stored content is damaged. Verify the stored checkpoints in the settings, under Checkpoints.');
    case 'leftOut':
      return t('Not in the checkpoint, because the file was ignored then. It may have existed, so it is not deleted.');
    case 'notSaved':
      return t('The restore could not be undone, because the current file is too large or cannot be read');
    case 'notAFile':
      return t('The path is now a pipe, a socket or a device');
    case 'changed':
      return t('Changed during the restore');
    case 'failed':
      return t('Could not be written');
  }
}

/** Explains why a file is a conflict. Edits by the user need no explanation. */
export function conflictTexts({ reason, isByHand }: Pick<PlannedFile, 'reason' | 'isByHand'>): string[] {
  if (reason === null) return [];
  if (reason === 'leftOut') return [t('A command may have moved an ignored file here. No checkpoint contains that file.')];
  if (reason !== 'changedSince') return [skipReasonText(reason)];
  return isByHand === true ? [] : [t('Changed again since then by this or another chat')];
}

/** Explains briefly why a file was skipped. */
export function leftText(reason: LeftFile['reason']): string {
  switch (reason) {
    case 'changedSince':
    case 'changed':
      return t('changed since then');
    case 'unsaved':
      return t('unsaved changes');
    case 'notStored':
    case 'notSaved':
      return t('not stored');
    case 'damaged':
      return t('stored content damaged');
    case 'leftOut':
      return t('was ignored');
    case 'notAFile':
      return t('now a pipe or a socket');
    case 'failed':
      return t('could not be written');
  }
}

/** Explains what is lost permanently: neither restoring the file nor undoing the restore recovers it. */
export function lossText(loss: StepLoss): string {
  switch (loss) {
    case 'links':
      return t('Other hard links to this file are not changed');
    case 'owner':
      return t('Owner, group or special permissions cannot be restored');
    case 'emptyFolder':
      return t('The empty folder at this path will be deleted');
  }
}

export interface StepMark {
  letter: string;
  look: 'created' | 'modified' | 'deleted';
  word: string;
}

export function stepMark({ exists, hash }: PlannedFile): StepMark {
  if (!exists) return { letter: 'A', look: 'created', word: t('will be created') };
  if (hash === null) return { letter: 'D', look: 'deleted', word: t('will be deleted') };
  return { letter: 'M', look: 'modified', word: t('will be reverted') };
}
