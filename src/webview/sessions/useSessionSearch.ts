import { computed, ref, shallowRef } from 'vue';
import { withPage } from './withPage';
import type { SessionItem, SessionList } from '../types';
import type { Host } from '../common/useHost';

const pageSize = 50;
/** Milliseconds before a search: after a key press, after session changes, and after incomplete results. */
const afterKey = 150;
const afterChange = 500;
const whileIncomplete = 1500;

type Page = Pick<
  SessionList,
  'hasMore' | 'isComplete' | 'isIndexed' | 'isAsText' | 'missingModel' | 'isDamaged' | 'isUnavailable'
>;

/** Searches sessions. Shows only the result of the latest query, regardless of the order in which results arrive. */
export function useSessionSearch(host: Host) {
  const query = ref('');
  const newestFirst = ref(false);
  const byMeaning = ref(false);
  const items = shallowRef<readonly SessionItem[]>([]);
  const page = shallowRef<Page>({ hasMore: false, isComplete: true, isIndexed: true });
  const state = ref<SessionList['state']>('idle');
  const isActive = computed(() => query.value.trim() !== '');
  const list = computed<SessionList>(() => ({ items: items.value, state: state.value, ...page.value }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  /** True if the query or the order differs from that of the shown results. */
  let isAnew = true;

  async function search(offset: number, limit: number): Promise<void> {
    asked += 1;
    const question = asked;
    state.value = 'loading';
    try {
      const { found, ...rest } = await host.api.searchSessions({
        query: query.value.slice(0, 1000),
        newestFirst: newestFirst.value,
        ...(byMeaning.value && { byMeaning: true }),
        offset,
        limit,
      });
      if (question !== asked) return;
      const before = { items: isAnew ? [] : items.value, hasMore: page.value.hasMore };
      const rows = withPage(before, { items: found, hasMore: rest.hasMore }, offset, limit);
      items.value = rows.items;
      isAnew = false;
      page.value = { ...rest, hasMore: rows.hasMore };
      state.value = 'idle';
      if (!rest.isComplete) later(whileIncomplete);
    } catch (error) {
      if (question !== asked) return;
      host.report(error);
      state.value = 'failed';
    }
  }

  function later(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void search(0, Math.min(200, Math.max(pageSize, items.value.length))), milliseconds);
  }

  function find(next: string): void {
    const wasActive = isActive.value;
    query.value = next;
    isAnew = true;
    // Ignore results of the previous query.
    asked += 1;
    clearTimeout(timer);
    if (!isActive.value || !wasActive) items.value = [];
    state.value = isActive.value ? 'loading' : 'idle';
    if (!isActive.value) return;
    timer = setTimeout(() => void search(0, pageSize), afterKey);
  }

  function sort(isByTime: boolean): void {
    newestFirst.value = isByTime;
    isAnew = true;
    if (isActive.value) void search(0, pageSize);
  }

  /** Turns search by meaning on or off and searches again. */
  function weigh(isByMeaning: boolean): void {
    byMeaning.value = isByMeaning;
    isAnew = true;
    if (isActive.value) void search(0, pageSize);
  }

  return {
    query,
    newestFirst,
    byMeaning,
    isActive,
    list,
    find,
    sort,
    weigh,
    refresh: () => later(afterChange),
    loadMore: () => void search(items.value.length, pageSize),
    drop: (sessionId: string) => void (items.value = items.value.filter(({ session }) => session.id !== sessionId)),
    /** Stops the timer when the search is closed. */
    rest: () => clearTimeout(timer),
  };
}
