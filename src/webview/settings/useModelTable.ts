import { reactive, ref } from 'vue';
import type { Host } from '../common/useHost';

/** Runs actions on models, one at a time per model. Stores the last error of each model. */
export function useModelTable(host: Host) {
  const busy = reactive(new Set<string>());
  const problem = ref<string | null>(null);

  async function act(name: string, request: () => Promise<unknown>): Promise<void> {
    if (busy.has(name)) return;
    busy.add(name);
    problem.value = null;
    try {
      await request();
    } catch (error) {
      host.report(error);
      problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      busy.delete(name);
    }
  }

  const enable = (name: string, enabled: boolean) => act(name, () => host.api.setModelEnabled({ name, enabled }));
  const unload = (name: string) => act(name, () => host.api.unloadModel({ name }));
  const remove = (name: string) => act(name, () => host.api.deleteModel({ name }));
  const examine = (name: string) => act(name, () => host.api.startExam({ name }));
  const cancelExam = () => host.attempt(host.api.cancelExam({}));

  return { busy, problem, enable, unload, remove, examine, cancelExam };
}
