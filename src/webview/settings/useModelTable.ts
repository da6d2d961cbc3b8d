import { reactive, ref } from 'vue';
import type { Host } from '../common/useHost';

/** Runs a person's actions on the models of the server, one at a time for each, and keeps why the last one failed. */
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

  return { busy, problem, enable, unload, remove };
}
