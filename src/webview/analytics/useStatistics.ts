import { ref, shallowRef, type InjectionKey } from 'vue';
import type { Statistics } from '../../protocol/requests/statisticsRequests';
import type { Host } from '../common/useHost';

/** Number of days. Null selects all days. */
export type StatisticsRange = 7 | 30 | 90 | 365 | null;

export const statisticsKey: InjectionKey<ReturnType<typeof useStatistics>> = Symbol('statistics');

export function useStatistics(host: Host) {
  const statistics = shallowRef<Statistics | null>(null);
  const range = ref<StatisticsRange>(30);
  const state = ref<'idle' | 'loading' | 'failed'>('idle');
  let asked = 0;

  async function load(): Promise<void> {
    const number = (asked += 1);
    state.value = 'loading';
    try {
      const read = await host.api.readStatistics({ days: range.value });
      if (number !== asked) return;
      statistics.value = read;
      state.value = 'idle';
    } catch (error) {
      host.report(error);
      if (number === asked) state.value = 'failed';
    }
  }

  function choose(days: StatisticsRange): void {
    range.value = days;
    void load();
  }

  /** Deletes all statistics after confirmation. */
  async function remove(): Promise<void> {
    if ((await host.attempt(host.api.deleteStatistics({})))?.isDeleted === true) await load();
  }

  return { statistics, range, state, load, choose, remove };
}
