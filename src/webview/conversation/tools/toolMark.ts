import type { BackgroundCommand } from '../../../protocol/requests/runningCommands';
import type { ToolAction, ToolState } from '../../../protocol/timeline';
import { readFacts } from '../../../protocol/legacyTools';
import { t } from '../../translate';

/** State of a call, or state of the background command that the call started. A stopped command is `cancelled`. */
export type MarkState = ToolState | 'in the background' | 'ended';

/** Returns the state of a call. For a background command, returns the state of the command. */
export function chooseMark(action: ToolAction, listed: readonly BackgroundCommand[]): MarkState {
  const { background, exitCode } = action.result?.details ?? {};
  const isLeft = action.state === 'done' && background !== undefined && exitCode === undefined;
  // Other tools only read the output of a command.
  if (!isLeft || readFacts(action).titles?.started === undefined) return action.state;
  const command = listed.find(({ id }) => id === background);
  if (command === undefined) return 'ended';
  return command.isStopped === true ? 'cancelled' : 'in the background';
}

/** Returns the state of a group. If a command runs in the background, or all were stopped there, this state replaces `done`. */
export function chooseGroupMark(
  state: ToolState,
  actions: readonly ToolAction[],
  listed: readonly BackgroundCommand[],
): MarkState {
  if (state !== 'done') return state;
  const marks = actions.map((action) => chooseMark(action, listed));
  if (marks.includes('in the background')) return 'in the background';
  return marks.every((mark) => mark === 'cancelled') ? 'cancelled' : state;
}

export function markText(mark: MarkState): string {
  if (mark === 'in the background') return t('running in the background');
  return mark === 'ended' ? t('ended') : stateText(mark);
}

function stateText(state: ToolState): string {
  switch (state) {
    case 'queued':
      return t('queued');
    case 'running':
      return t('running');
    case 'waiting for approval':
      return t('waiting for approval');
    case 'failed':
      return t('failed');
    case 'cancelled':
      return t('cancelled');
    case 'denied':
      return t('skipped');
    case 'done':
      return t('done');
  }
}
