import type { LeftFile, PlannedFile, StepLoss } from '../../protocol/restore';
import { t } from '../translate';

const beforeMessage = 'Before user message: ';

/** Returns the message that a checkpoint was taken before; null if it is not a message's checkpoint. */
export function messageOfTitle(title: string): string | null {
  return title.startsWith(beforeMessage) ? title.slice(beforeMessage.length) : null;
}

/** Explains why a file is not restored by itself. */
export function reasonText(reason: LeftFile['reason']): string {
  switch (reason) {
    case 'changedSince':
      return t('Changed since, by hand or by another chat');
    case 'unsaved':
      return t('Has unsaved changes; they are saved first');
    case 'notStored':
      return t('The checkpoint does not hold it: too large, or it could not be read');
    case 'damaged':
      return t('What is stored of it is damaged. Verify the storage in the settings, under Checkpoints.');
    case 'leftOut':
      return t('The checkpoint left it out, as it was ignored then: it may have been there and stays');
    case 'notSaved':
      return t('It could not be brought back again: too large, or it cannot be read');
    case 'notAFile':
      return t('A pipe, a socket or a device is in its place');
    case 'changed':
      return t('Changed at that very moment');
    case 'failed':
      return t('Could not be written');
  }
}

/** Explains in a few words why a file was left. */
export function leftText(reason: LeftFile['reason']): string {
  switch (reason) {
    case 'changedSince':
    case 'changed':
      return t('changed since');
    case 'unsaved':
      return t('unsaved changes');
    case 'notStored':
    case 'notSaved':
      return t('not stored');
    case 'damaged':
      return t('stored content damaged');
    case 'leftOut':
      return t('ignored then');
    case 'notAFile':
      return t('a pipe or socket is in its place');
    case 'failed':
      return t('could not be written');
  }
}

/** Explains what neither restoring a file nor undoing that brings back. */
export function lossText(loss: StepLoss): string {
  switch (loss) {
    case 'links':
      return t('Has other names (hard links), which stay as they are');
    case 'owner':
      return t('Its owner, group or special mode bits cannot be brought back');
    case 'emptyFolder':
      return t('An empty folder in its place is removed');
  }
}

export interface StepMark {
  letter: string;
  look: 'created' | 'modified' | 'deleted';
  word: string;
}

/** Returns the mark of what happens to the file itself, whoever has changed it. */
export function markOf({ exists, hash }: PlannedFile): StepMark {
  if (!exists) return { letter: 'A', look: 'created', word: t('comes back') };
  if (hash === null) return { letter: 'D', look: 'deleted', word: t('is deleted') };
  return { letter: 'M', look: 'modified', word: t('is changed back') };
}
