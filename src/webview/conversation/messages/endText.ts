import type { Turn } from '../../../protocol/timeline';
import { t } from '../../translate';

/** Tells how a turn ended; null if its answer says it all. `problem` is the code of the reason why nothing can be stored now. */
export function endText(turn: Turn, problem: string | null): string | null {
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
      return interruptedText(problem);
    case 'done':
      if (last?.kind !== 'text') return null;
      if (last.end === 'length') return t('The answer reached its length limit');
      return last.end === 'incomplete' ? t('The answer broke off') : null;
    case 'running':
      return null;
  }
}

function interruptedText(problem: string | null): string {
  switch (problem) {
    case null:
      return t('Interrupted: the window closed before this was finished');
    case 'corrupt':
      return t('Interrupted: the chat history turned out to be damaged');
    case 'full':
      return t('Interrupted: the disk is full');
    default:
      return t('Interrupted: the chat history could not be written');
  }
}
