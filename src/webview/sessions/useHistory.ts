import { computed, ref, shallowRef, type InjectionKey } from 'vue';
import { withPage } from './withPage';
import type { SessionItem } from '../types';
import type { Host } from '../common/useHost';
import { useSessionSearch } from './useSessionSearch';

const pageSize = 50;
const mostAtOnce = 200;
/** Milliseconds between list updates. Limits the updates, because runs report each step. */
const pace = 200;

export const historyKey: InjectionKey<ReturnType<typeof useHistory>> = Symbol('history');

/** Lists sessions page by page, newest first. For a search, lists the results. */
export function useHistory(host: Host) {
  const rows = shallowRef<{ items: readonly SessionItem[]; hasMore: boolean }>({ items: [], hasMore: false });
  const state = ref<'idle' | 'loading' | 'failed'>('idle');
  const search = useSessionSearch(host);
  let isShown = false;

  const list = computed(() =>
    search.isActive.value ? search.list.value : { ...rows.value, state: state.value, isComplete: true, isIndexed: true },
  );

  async function fetchPage(offset: number, limit: number): Promise<void> {
    state.value = 'loading';
    try {
      const { sessions, hasMore } = await host.api.listSessions({ offset, limit });
      const items = sessions.map((session) => ({ session, title: { text: session.title, marks: [] }, line: null }));
      rows.value = withPage(rows.value, { items, hasMore }, offset, limit);
      state.value = 'idle';
    } catch (error) {
      host.report(error);
      state.value = 'failed';
    }
  }

  /** Reloads as many rows as are shown. */
  function refresh(): void {
    if (search.isActive.value) search.refresh();
    else void fetchPage(0, Math.min(mostAtOnce, Math.max(pageSize, rows.value.items.length)));
  }
  function loadMore(): void {
    if (search.isActive.value) search.loadMore();
    else void fetchPage(rows.value.items.length, pageSize);
  }
  function find(query: string): void {
    search.find(query);
    // Sessions can change during the search.
    if (!search.isActive.value) refresh();
  }

  async function rename(sessionId: string, title: string): Promise<void> {
    await host.attempt(host.api.renameSession({ sessionId, title }));
  }
  /** Deletes a session. Resolves to false if the user cancels. */
  async function remove(sessionId: string): Promise<boolean> {
    const isDeleted = (await host.attempt(host.api.deleteSession({ sessionId })))?.isDeleted === true;
    if (isDeleted) {
      rows.value = { ...rows.value, items: rows.value.items.filter(({ session }) => session.id !== sessionId) };
      search.drop(sessionId);
    }
    return isDeleted;
  }

  async function exportOne(sessionId: string): Promise<void> {
    await host.attempt(host.api.exportSession({ sessionId }));
  }
  async function exportAll(): Promise<void> {
    await host.attempt(host.api.runCommand({ command: 'exportAllSessions' }));
  }

  function show(): void {
    isShown = true;
    // The previous list may be outdated.
    rows.value = { items: [], hasMore: false };
    refresh();
  }
  function hide(): void {
    isShown = false;
    search.rest();
  }

  let refreshedAt = -Infinity;
  let later: ReturnType<typeof setTimeout> | undefined;
  function follow(): void {
    later = undefined;
    refreshedAt = performance.now();
    if (isShown) refresh();
  }
  host.on('sessionsChanged', () => {
    if (!isShown || later !== undefined) return;
    const wait = refreshedAt + pace - performance.now();
    if (wait <= 0) follow();
    else later = setTimeout(follow, wait);
  });

  const { query, newestFirst, byMeaning, sort, weigh } = search;
  return {
    list,
    query,
    newestFirst,
    byMeaning,
    sort,
    weigh,
    find,
    refresh,
    loadMore,
    show,
    hide,
    rename,
    remove,
    exportOne,
    exportAll,
  };
}
