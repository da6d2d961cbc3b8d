import type { Turn } from '../../protocol/timeline';
import { t } from '../l10n';

/** How a turn ended, or null where its answer says it all. */
export function endText(turn: Turn): string | null {
  const last = turn.blocks[turn.blocks.length - 1];
  const isTold = last?.kind === 'notice';
  switch (turn.outcome) {
    case 'stopped':
      return t('Stopped');
    case 'limit':
      return isTold ? null : t('Stopped after the most steps a run may take');
    case 'failed':
      return turn.blocks.some((block) => block.kind === 'error') ? null : t('Failed');
    case 'interrupted':
      return t('Interrupted: the window closed before this was finished');
    case 'done':
      if (last?.kind !== 'text') return null;
      if (last.end === 'length') return t('The answer reached its length limit');
      return last.end === 'incomplete' ? t('The answer broke off') : null;
    case 'running':
      return null;
  }
}
