import type { Turn } from '../../../protocol/timeline';
import { t } from '../../translate';

/**
 * Describes how a turn ended. Returns null if the answer already shows this. `problem` is the reason code if nothing can be
 * stored now.
 */
export function endText(turn: Turn, problem: string | null): string | null {
  const last = turn.blocks[turn.blocks.length - 1];
  const isTold = last?.kind === 'notice';
  switch (turn.outcome) {
    case 'stopped':
      return t('Stopped');
    case 'limit':
      return isTold ? null : t('Stopped: reached the maximum number of steps');
    case 'failed':
      return turn.blocks.some((block) => block.kind === 'error') ? null : t('Failed');
    case 'interrupted':
      return interruptedText(problem);
    case 'done':
      if (last?.kind !== 'text') return null;
      if (last.end === 'length') return t('The answer reached the length limit');
      return last.end === 'incomplete' ? t('The answer was cut off') : null;
    case 'running':
      return null;
  }
}

function interruptedText(problem: string | null): string {
  switch (problem) {
    case null:
      return t('Interrupted: the window was closed before the run finished');
    case 'corrupt':
      return t('Interrupted: the chat history is damaged');
    case 'replaced':
      return t('Interrupted: the chat history file was replaced');
    case 'full':
      return t('Interrupted: the disk is full');
    default:
      return t('Interrupted: could not write the chat history');
  }
}
