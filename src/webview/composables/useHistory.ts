import { ref, shallowRef } from 'vue';
import type { SessionSummary } from '../../protocol/webviewEvents';
import type { Host } from './useHost';

const pageSize = 50;

/** The list of sessions, newest first, a page at a time. */
export function useHistory(host: Host) {
  const sessions = shallowRef<readonly SessionSummary[]>([]);
  const hasMore = ref(false);
  const state = ref<'idle' | 'loading' | 'failed'>('idle');
  let isShown = false;

  async function fetchPage(offset: number, limit: number): Promise<void> {
    state.value = 'loading';
    try {
      const page = await host.api.listSessions({ offset, limit });
      const known = new Set(page.sessions.map(({ id }) => id));
      const before = offset === 0 ? [] : sessions.value.filter(({ id }) => !known.has(id));
      sessions.value = [...before, ...page.sessions];
      hasMore.value = page.hasMore;
      state.value = 'idle';
    } catch (error) {
      host.report(error);
      state.value = 'failed';
    }
  }

  /** Fetches afresh as much as is shown. */
  const refresh = () => fetchPage(0, Math.min(200, Math.max(pageSize, sessions.value.length)));
  const loadMore = () => fetchPage(sessions.value.length, pageSize);

  function show(): void {
    isShown = true;
    void refresh();
  }
  function hide(): void {
    isShown = false;
  }

  host.on('sessionsChanged', () => {
    if (isShown) void refresh();
  });

  return { sessions, hasMore, state, refresh, loadMore, show, hide };
}
