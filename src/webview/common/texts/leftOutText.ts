import type { LeftOut } from '../../../protocol/restore';
import { t } from '../../translate';

type Reason = LeftOut['files'][number]['reason'];

/** Reasons in the order of the list, the most telling first. */
const reasons: readonly Reason[] = ['tooLarge', 'unreadable', 'name', 'storage', 'unstable'];

/** Sums up in one line what a checkpoint does not hold, and what not for certain. */
export function leftOutTitle({ count, unstableCount }: LeftOut): string {
  const missing = count - unstableCount;
  const missingText =
    missing === 1 ? t('1 file is not in this checkpoint') : t('{0} files are not in this checkpoint', missing.toLocaleString());
  const unstableText =
    unstableCount === 1
      ? t('1 file was changing while the checkpoint was taken')
      : t('{0} files were changing while the checkpoint was taken', unstableCount.toLocaleString());
  return [...(missing > 0 ? [missingText] : []), ...(unstableCount > 0 ? [unstableText] : [])].join(' · ');
}

/** Groups the files by why they were left out, with what to do about it. */
export function leftOutGroups(files: LeftOut['files']): { why: string; paths: string[] }[] {
  return reasons
    .map((reason) => ({ why: whyText(reason), paths: files.filter((file) => file.reason === reason).map(({ path }) => path) }))
    .filter(({ paths }) => paths.length > 0);
}

function whyText(reason: Reason): string {
  switch (reason) {
    case 'tooLarge':
      return t(
        'Larger than what is stored of one file. To store them from now on, raise “Largest file” in the settings, under Checkpoints.',
      );
    case 'unreadable':
      return t('Could not be read. To store them from now on, give yourself the right to read them, or exclude them.');
    case 'name':
      return t('The name is not valid UTF-8. To store them from now on, rename them.');
    case 'storage':
      return t(
        'Not entered: the folder holds chats and checkpoints of Ollama Copilot. To store it, move its “sessions.sqlite” files away.',
      );
    case 'unstable':
      return t(
        'Was changing while it was read, so what is stored may be of no one moment. To be certain, create a checkpoint while nothing writes to it.',
      );
  }
}
