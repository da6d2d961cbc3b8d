import type { Uncovered } from '../../../protocol/restore';
import { t } from '../../translate';

/** Names that one line has; of more their number. */
const maxNamed = 3;

/** Sentences on what checkpoints do not hold: `warnings` are losses, `note` is for the rest. */
export interface UncoveredText {
  warnings: { text: string; title: string }[];
  note: string | null;
}

/** Says what checkpoints do not hold of Git histories and left-out files. */
export function uncoveredText({ histories, gone, goneCount }: Uncovered): UncoveredText {
  const [lost, there] = [true, false].map((isGone) =>
    histories.filter((one) => one.isGone === isGone).map(({ folder }) => folder),
  ) as [string[], string[]];
  const warnings: UncoveredText['warnings'] = [];
  if (lost.length > 0) {
    const text = t(
      'The Git history in {0} is gone. Checkpoints do not cover Git history, so a restore does not bring it back.',
      named(lost, lost.length),
    );
    warnings.push({ text, title: lost.join('\n') });
  }
  if (goneCount > 0) {
    const text = t('Gone, and not in any checkpoint because of the ignore rules: {0}', named(gone, goneCount));
    warnings.push({ text, title: gone.join('\n') });
  }
  return {
    warnings,
    note: there.length === 0 ? null : t('The Git history in {0} is not covered by checkpoints.', named(there, there.length)),
  };
}

function named(names: readonly string[], count: number): string {
  const first = names.slice(0, maxNamed).map((name) => `“${name}”`);
  const more = count > first.length ? [t('{0} more', (count - first.length).toLocaleString())] : [];
  return [...first, ...more].join(', ');
}
