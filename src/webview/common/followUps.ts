import type { Block, Turn } from '../../protocol/timeline';

/** Actions that may follow a run that is over. */
export interface FollowUps {
  /** Going on where it ended. */
  canContinue: boolean;
  /** Answering the message again; where work was done that stands, going on is the same and says it better. */
  canRetry: boolean;
}

export const noFollowUps: FollowUps = { canContinue: false, canRetry: false };

export function followUpsOf(turn: Turn): FollowUps {
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

/** Returns the error that a turn ended with: one before it is over, whatever came of it. */
export function endingError(turn: Turn): Extract<Block, { kind: 'error' }> | undefined {
  return turn.outcome === 'failed' ? turn.blocks.findLast((block) => block.kind === 'error') : undefined;
}
