import { reactive, ref, shallowRef, type InjectionKey } from 'vue';
import type { HostResult } from '../../protocol/hostApi';
import type { ModelTested } from '../../protocol/requests/completionRequests';
import { provided } from './provided';
import type { Host } from './useHost';

export const completionsKey: InjectionKey<ReturnType<typeof useCompletions>> = Symbol('completions');

export function useCompletionsOfView(): ReturnType<typeof useCompletions> {
  return provided(completionsKey);
}

/** Tracks inline suggestions: models with test results, statistics, and the first-run offer. */
export function useCompletions(host: Host) {
  const state = shallowRef<HostResult<'readCompletions'> | null>(null);
  const offer = shallowRef<HostResult<'completionOffer'>['offer']>(null);
  /** Accepted offer, for which the view still shows a confirmation. */
  const accepted = shallowRef<typeof offer.value>(null);
  /** Result of the last self-test of the accepted model. Null before the first test. */
  const verdict = shallowRef<ModelTested | null>(null);
  const testing = reactive(new Set<string>());
  const problem = ref<string | null>(null);

  host.on('modelTested', (tested) => {
    if (tested.name === accepted.value?.name) verdict.value = tested;
    if (state.value === null) return;
    const models = state.value.models.map((model) => (model.name === tested.name ? { ...model, ...tested } : model));
    state.value = { ...state.value, models };
  });

  async function read(): Promise<void> {
    state.value = (await host.attempt(host.api.readCompletions({}))) ?? state.value;
  }

  async function test(model: string): Promise<void> {
    if (testing.has(model)) return;
    testing.add(model);
    problem.value = null;
    if (model === accepted.value?.name) verdict.value = null;
    try {
      const tested = await host.api.testCompletionModel({ model });
      if (model === accepted.value?.name) verdict.value = tested;
    } catch (error) {
      host.report(error);
      problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      testing.delete(model);
    }
    await read();
  }

  async function readOffer(): Promise<void> {
    accepted.value = null;
    verdict.value = null;
    offer.value = (await host.attempt(host.api.completionOffer({})))?.offer ?? null;
  }

  async function answer(isWanted: boolean): Promise<void> {
    const { value } = offer;
    offer.value = null;
    if (value === null) return;
    const isSaved = (await host.attempt(host.api.answerCompletionOffer({ model: value.name, isWanted }))) !== undefined;
    if (!isSaved || !isWanted) return;
    accepted.value = value;
    if (value.isInstalled) await test(value.name);
  }

  return { state, offer, accepted, verdict, testing, problem, read, test, readOffer, answer };
}
