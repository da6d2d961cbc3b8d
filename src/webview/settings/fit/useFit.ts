import { reactive, ref, shallowRef } from 'vue';
import type { FitState, MemoryPlan } from '../../../protocol/requests/fitRequests';
import type { Host } from '../../common/useHost';
import { t } from '../../translate';
import { tokenCount } from '../../../types/format';

/** Measures models and reads the memory plan. */
export function useFit(host: Host) {
  const state = shallowRef<FitState | null>(null);
  const plan = shallowRef<MemoryPlan | null>(null);
  /** Results and problems by model. */
  const results = reactive(new Map<string, string>());
  const problem = ref<string | null>(null);

  host.on('fit', (next) => (state.value = next));

  async function run(name: string, request: () => Promise<string | null>): Promise<void> {
    problem.value = null;
    results.delete(name);
    try {
      results.set(name, (await request()) ?? t('Cancelled.'));
    } catch (error) {
      host.report(error);
      problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  const measure = (name: string) =>
    run(name, async () => ((await host.api.measureModel({ name })).isDone ? t('Measured.') : null));

  const search = (name: string) =>
    run(name, async () => {
      const { found } = await host.api.findWindow({ name });
      if (found === null) return null;
      if (!found.hasGpu) return t('The server used only the CPU for this model, so no context window fits on the GPU.');
      if (found.tokens === null) return t('No context window keeps the whole model on the GPU. A smaller model is faster.');
      return found.loads === 1
        ? t('Found a context window of {0} tokens after loading the model once.', tokenCount(found.tokens))
        : t('Found a context window of {0} tokens after loading the model {1} times.', tokenCount(found.tokens), found.loads);
    });

  const cancel = () => host.attempt(host.api.cancelFit({}));
  const setWindow = (name: string, tokens: number | null) => host.attempt(host.api.setModelWindow({ name, tokens }));

  async function readPlan(): Promise<void> {
    plan.value = (await host.attempt(host.api.readMemoryPlan({}))) ?? plan.value;
  }

  return { state, plan, results, problem, measure, search, cancel, setWindow, readPlan };
}
