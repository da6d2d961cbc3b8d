import type { Block, Turn } from '../../protocol/timeline';

export interface FollowUps {
  canContinue: boolean;
  /** True if the view offers a retry of the message. False after completed work, where continuing is better. */
  canRetry: boolean;
}

export const noFollowUps: FollowUps = { canContinue: false, canRetry: false };

export function findFollowUps(turn: Turn): FollowUps {
  const last = turn.blocks.findLast(({ kind }) => kind !== 'notice' && kind !== 'error' && kind !== 'review');
  const isPartial = last?.kind === 'text' && last.end !== 'complete';
  const hasWorked = turn.blocks.some(({ kind }) => kind === 'toolGroup');
  switch (turn.outcome) {
    case 'running':
      return noFollowUps;
    case 'done':
      return { canContinue: isPartial, canRetry: isPartial };
    case 'failed':
      return { canContinue: isPartial, canRetry: true };
    case 'limit':
      return { canContinue: true, canRetry: !hasWorked };
    case 'stopped':
    case 'interrupted':
      return { canContinue: isPartial || hasWorked, canRetry: isPartial || !hasWorked };
  }
}

/** Returns the last error of a failed turn. Ignores errors in turns that ended in another way. */
export function endingError(turn: Turn): Extract<Block, { kind: 'error' }> | undefined {
  return turn.outcome === 'failed' ? turn.blocks.findLast((block) => block.kind === 'error') : undefined;
}
