import type { Uncovered } from '../../../protocol/restore';
import { t } from '../../translate';

/** Maximum number of names in one line. Further names are only counted. */
const maxNamed = 3;

/** Sentences about what checkpoints do not contain. `warnings` describe losses, `note` everything else. */
export interface UncoveredText {
  warnings: { text: string; title: string }[];
  note: string | null;
}

/** Describes Git histories and skipped files that checkpoints do not contain. */
export function uncoveredText({ histories, gone, goneCount }: Uncovered): UncoveredText {
  const [lost, there] = [true, false].map((isGone) =>
    histories.filter((one) => one.isGone === isGone).map(({ folder }) => folder),
  ) as [string[], string[]];
  const warnings: UncoveredText['warnings'] = [];
  if (lost.length > 0) {
    const text = t(
      'The Git history in {0} no longer exists. Checkpoints do not include Git history, so a restore cannot recover it.',
      named(lost, lost.length),
    );
    warnings.push({ text, title: lost.join('\n') });
  }
  if (goneCount > 0) {
    const text = t('Deleted and not in any checkpoint, because of ignore rules: {0}', named(gone, goneCount));
    warnings.push({ text, title: gone.join('\n') });
  }
  return { warnings, note: describeFolders(there) };
}

/** Describes folders whose Git history is not in checkpoints. Does not name the workspace folder itself (`.`). */
function describeFolders(folders: readonly string[]): string | null {
  if (folders.length === 0) return null;
  if (folders.includes('.')) return t('A restore does not change Git commits or branches.');
  return t('A restore does not change Git commits or branches in {0}.', named(folders, folders.length));
}

function named(names: readonly string[], count: number): string {
  const first = names.slice(0, maxNamed).map((name) => t('“{0}”', name));
  const more = count > first.length ? [t('{0} more', count - first.length)] : [];
  return [...first, ...more].join(', ');
}
