import { computed, ref, shallowRef } from 'vue';
import type { SessionItem } from '../types';
import type { Host } from './useHost';
import { useSessionSearch } from './useSessionSearch';

const pageSize = 50;

/** The list of sessions, newest first, a page at a time; those that a search found while there is one. */
export function useHistory(host: Host) {
  const sessions = shallowRef<readonly SessionItem[]>([]);
  const hasMore = ref(false);
  const state = ref<'idle' | 'loading' | 'failed'>('idle');
  const search = useSessionSearch(host);
  let isShown = false;

  const list = computed(() =>
    search.isActive.value
      ? search.list.value
      : { items: sessions.value, hasMore: hasMore.value, state: state.value, isComplete: true, isIndexed: true },
  );

  async function fetchPage(offset: number, limit: number): Promise<void> {
    state.value = 'loading';
    try {
      const page = await host.api.listSessions({ offset, limit });
      const items = page.sessions.map((session) => ({ session, title: { text: session.title, marks: [] }, line: null }));
      const known = new Set(page.sessions.map(({ id }) => id));
      const before = offset === 0 ? [] : sessions.value.filter(({ session }) => !known.has(session.id));
      sessions.value = [...before, ...items];
      hasMore.value = page.hasMore;
      state.value = 'idle';
    } catch (error) {
      host.report(error);
      state.value = 'failed';
    }
  }

  /** Fetches afresh as much as is shown. */
  function refresh(): void {
    if (search.isActive.value) search.refresh();
    else void fetchPage(0, Math.min(200, Math.max(pageSize, sessions.value.length)));
  }
  function loadMore(): void {
    if (search.isActive.value) search.loadMore();
    else void fetchPage(sessions.value.length, pageSize);
  }
  function find(query: string): void {
    search.find(query);
    // What changed while the search was shown.
    if (!search.isActive.value) refresh();
  }

  async function rename(sessionId: string, title: string): Promise<void> {
    await host.attempt(host.api.renameSession({ sessionId, title }));
  }
  /** Whether the session is gone: the person may have thought better of it. */
  async function remove(sessionId: string): Promise<boolean> {
    return (await host.attempt(host.api.deleteSession({ sessionId })))?.isDeleted === true;
  }

  function show(): void {
    isShown = true;
    refresh();
  }
  function hide(): void {
    isShown = false;
    search.rest();
  }

  host.on('sessionsChanged', () => {
    if (isShown) refresh();
  });

  const { query, newestFirst, sort } = search;
  return { list, query, newestFirst, sort, refresh, loadMore, find, rename, remove, show, hide };
}
