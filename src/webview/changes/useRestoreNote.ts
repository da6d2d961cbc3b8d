import { computed } from 'vue';
import type { RestoreNote } from '../../protocol/timeline';
import { t } from '../translate';
import { commandOfTitle, messageOfTitle } from './restoreText';
import { useRestoreHandle } from './useRestore';

/** Returns the path of a single file, or the number of files. */
function named(paths: readonly string[]): string {
  const [first] = paths;
  return paths.length === 1 && first !== undefined ? first : t('{0} files', paths.length);
}

export function useRestoreNote(note: () => RestoreNote) {
  const restore = useRestoreHandle();

  const files = computed(() => named(note().paths));
  const isUndo = computed(() => restore?.isUndo(note()) ?? note().undoes !== null);
  const isDeletion = computed(() => {
    const { paths, deleted, undoes, isReset, title, undoneCall } = note();
    const isOfTitle = messageOfTitle(title) !== null || commandOfTitle(title) !== null;
    return deleted.length === paths.length && undoes === null && !isReset && undoneCall === undefined && !isOfTitle;
  });
  const text = computed(() => {
    const { deleted } = note();
    return deleted.length === 0 || isDeletion.value ? result.value : t('{0} ({1} deleted)', result.value, named(deleted));
  });
  const result = computed(() => {
    if (note().paths.length === 0) return t('Nothing was restored');
    if (isUndo.value) return t('Undid the restore of {0}', files.value);
    if (note().undoes !== null) return t('Restored {0} again', files.value);
    if (note().isReset) return t('Reset {0} to the approved state', files.value);
    const command = commandOfTitle(note().title);
    if (note().undoneCall !== undefined) {
      return command === null
        ? t('Undid the changes of a command to {0}', files.value)
        : t('Undid the changes of the command “{0}” to {1}', command, files.value);
    }
    // The restore covers some of the files that the command changed, or all files of the checkpoint.
    if (command !== null) return t('Restored {0} to the state before the command “{1}”', files.value, command);
    if (isDeletion.value) return t('Deleted {0}', files.value);
    // Remove the final period inside the quotation marks, because the sentence has its own period.
    const message = messageOfTitle(note().title)?.replace(/(?<!\.)\.$/, '') ?? null;
    return message === null ? t('Restored {0}', files.value) : t('Restored {0} to the state before “{1}”', files.value, message);
  });
  const canUndo = computed(() => {
    const { operationId, paths, isUndone } = note();
    return restore?.has(operationId) === true && paths.length > 0 && !isUndone;
  });
  /** Text if all or some files of the restore were undone. Otherwise empty. */
  const undoneText = computed(() => {
    const { paths, undonePaths, isUndone } = note();
    if (isUndone) return isUndo.value ? t('restored again') : t('undone');
    if (undonePaths.length === 0) return '';
    return isUndo.value
      ? t('{0} of {1} files restored again', undonePaths.length, paths.length)
      : t('{0} of {1} files undone', undonePaths.length, paths.length);
  });
  const undoWords = computed(() => (isUndo.value ? t('Restore again') : t('Undo restore')));
  const hasUndoneTurns = computed(() => restore?.undoing.value.has(note().seq) === true);
  const isBusy = computed(() => restore?.isBusy.value ?? false);
  const isLatest = computed(() => restore?.latest.value?.seq === note().seq);

  function undo(): void {
    const { operationId } = note();
    if (operationId !== null) void restore?.show({ kind: 'restore', id: operationId });
  }
  const keepTurns = (): void => void restore?.keepTurns(note().seq);
  const dismiss = (): void => restore?.dismissLatest();

  return { text, undoneText, isUndo, canUndo, undoWords, hasUndoneTurns, isBusy, isLatest, undo, keepTurns, dismiss };
}
