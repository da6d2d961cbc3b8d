import type { SessionRecord } from '../../types/session';
import type { ApiServices } from '../apiPorts';
import { toQueueState } from '../events/queuePlaces';

export const dialogStates = ['idle', 'running', 'queued', 'waiting_for_approval', 'interrupted'] as const;
export type DialogState = (typeof dialogStates)[number];

/** Returns the current state of a dialog. `interrupted` contains the sessions whose last run ended with its window or server. */
export async function dialogState(
  { controller }: Pick<ApiServices, 'controller'>,
  { id, status }: SessionRecord,
  interrupted: ReadonlySet<string>,
): Promise<DialogState> {
  const run = await controller.runState(id);
  if (run.state === 'interrupted') return 'interrupted';
  if (run.state === 'elsewhere') return status === 'waiting_input' ? 'waiting_for_approval' : 'running';
  if (run.state === 'idle') return interrupted.has(id) ? 'interrupted' : 'idle';
  return toQueueState(run);
}
