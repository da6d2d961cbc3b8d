import type { LeftOut } from '../../../protocol/restore';
import { t } from '../../translate';

type Reason = LeftOut['files'][number]['reason'];

/** Reasons in the order of the list, most important first. */
const reasons: readonly Reason[] = ['tooLarge', 'unreadable', 'name', 'storage', 'unstable'];

/** Summarizes what a checkpoint does not contain or may not contain. */
export function leftOutTitle({ count, unstableCount }: LeftOut): string {
  const missing = count - unstableCount;
  const missingText = missing === 1 ? t('1 file is not in this checkpoint') : t('{0} files are not in this checkpoint', missing);
  const unstableText =
    unstableCount === 1
      ? t('1 file changed while the checkpoint was created')
      : t('{0} files changed while the checkpoint was created', unstableCount);
  return [...(missing > 0 ? [missingText] : []), ...(unstableCount > 0 ? [unstableText] : [])].join(' · ');
}

/** Groups skipped files by reason, with a fix for each. */
export function leftOutGroups(files: LeftOut['files']): { why: string; paths: string[] }[] {
  return reasons
    .map((reason) => ({ why: whyText(reason), paths: files.filter((file) => file.reason === reason).map(({ path }) => path) }))
    .filter(({ paths }) => paths.length > 0);
}

function whyText(reason: Reason): string {
  switch (reason) {
    case 'tooLarge':
      return t(
        'Larger than the maximum file size. To include such files in checkpoints, increase “Maximum file size” in the settings, under Checkpoints.',
      );
    case 'unreadable':
      return t('Could not be read. To include these files in checkpoints, get read permission. Otherwise, exclude them.');
    case 'name':
      return t('These file names are not valid UTF-8. To include the files in checkpoints, rename them.');
    case 'storage':
      return t(
        'This folder contains chats and checkpoints of Ollama Copilot, so checkpoints leave it out. To include it, move its “sessions.sqlite” files to another folder.',
      );
    case 'unstable':
      return t(
        'Changed while being read, so the stored content may be inconsistent. To avoid this, create a checkpoint while no program is writing to the file.',
      );
  }
}
