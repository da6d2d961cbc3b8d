import type { RunState } from '../../protocol/webviewEvents';
import type { ApiServices } from '../apiPorts';

/** Dialog that is ahead of another dialog: running or waiting in the queue. */
export interface Ahead {
  dialog_id: string;
  title: string;
  state: 'running' | 'waiting_for_approval' | 'queued';
}

/** Position of a run in the queue. 1-based while it waits, and 0 once it has started. */
export interface QueuePlace {
  position: number;
  behind: Ahead[];
}

/** Returns the queue position of a run, and the dialogs ahead of it. */
export async function queuePlace(
  { database, controller }: Pick<ApiServices, 'database' | 'controller'>,
  sessionId: string,
): Promise<QueuePlace> {
  const { activity } = await controller.runState(sessionId);
  if (activity?.kind !== 'queued') return { position: 0, behind: [] };
  const behind = [];
  for (const id of activity.behind ?? []) {
    const title = (await database.sessions.get(id))?.title ?? '';
    behind.push({ dialog_id: id, title, state: toQueueState(await controller.runState(id)) });
  }
  return { position: activity.position, behind };
}

/** Returns the state of a run that has started or is queued. */
export function toQueueState({ state, activity }: RunState): Ahead['state'] {
  if (state === 'queued') return 'queued';
  return activity?.kind === 'waitingForApproval' ? 'waiting_for_approval' : 'running';
}
