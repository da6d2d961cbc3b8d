import type { HostApi } from '../../../protocol/hostApi';
import type { FitTasks } from '../../../services/model/fit/fitTasks';
import type { MemoryPlanner } from '../../../services/model/fit/memoryPlanner';
import { noResult } from '../../noResult';

type FitApi = Pick<HostApi, 'measureModel' | 'findWindow' | 'cancelFit' | 'setModelWindow' | 'readMemoryPlan'>;

export function fitHandlers(
  fit: Pick<FitTasks, 'measure' | 'findWindow' | 'cancel' | 'setWindow'>,
  planner: Pick<MemoryPlanner, 'plan'>,
): FitApi {
  return {
    measureModel: async ({ name }) => ({ isDone: await fit.measure(name) }),
    findWindow: async ({ name }) => ({ found: await fit.findWindow(name) }),
    readMemoryPlan: () => planner.plan(),
    cancelFit: noResult(() => fit.cancel()),
    setModelWindow: noResult(({ name, tokens }) => fit.setWindow(name, tokens)),
  };
}
