import { nextTick, ref, watch, type Ref } from 'vue';
import { isMode } from '../types/modes';
import type { ViewEvents } from '../protocol/webviewEvents';
import type { RestoreHandle } from './changes/useRestore';
import type { Host } from './common/useHost';
import type { useModels } from './composer/pickers/useModels';
import type { useMessages } from './conversation/useMessages';
import type { useHistory } from './sessions/useHistory';
import type { useSession } from './sessions/useSession';
import type { SettingsTab } from './settings/catalogue';
import type { useSettingsPage } from './settings/useSettingsPage';
import type { ChatHandle, SearchMatch } from './types';

interface Features {
  session: ReturnType<typeof useSession>;
  server: ReturnType<typeof useModels>;
  history: ReturnType<typeof useHistory>;
  messages: ReturnType<typeof useMessages>;
  settings: ReturnType<typeof useSettingsPage>;
  restore: RestoreHandle;
}

export function usePages(host: Host, features: Features, chat: Readonly<Ref<ChatHandle | null>>) {
  const { session, server, history, messages, settings, restore } = features;
  const page = ref<'chat' | 'history' | 'settings' | 'analytics'>('chat');
  /** Number of search commands so far. */
  const searchRequests = ref(0);

  watch(page, (_, before) => {
    if (before === 'settings') void restore.refresh();
  });

  function show(next: typeof page.value, tab: SettingsTab = 'connection'): void {
    page.value = next;
    searchRequests.value = 0;
    if (next === 'settings') settings.show(tab);
    if (next === 'history') history.show();
    else history.hide();
  }

  async function openSession(id: string | null, match: SearchMatch | null = null): Promise<void> {
    show('chat');
    if (id === null || id !== session.sessionId.value) {
      host.problem.value = null;
      await (id === null ? startNew() : load(id));
    }
    if (match === null || session.sessionId.value !== id) return;
    await session.loadThrough(match.seq);
    await nextTick();
    if (session.isRewound(match.seq)) chat.value?.tellRewound();
    else await chat.value?.toMatch(match);
  }

  /** Shows an empty chat in the mode that the user selected last. */
  async function startNew(): Promise<void> {
    const asked = server.countModeChoices();
    const [started] = await Promise.all([host.attempt(host.api.newChat({})), session.open(null)]);
    if (started !== undefined && asked === server.countModeChoices()) server.mode.value = started.mode;
  }

  async function load(id: string): Promise<void> {
    await session.open(id);
    const mode = session.summary.value?.mode;
    if (isMode(mode)) server.mode.value = mode;
  }

  /** Removes a session. If it is shown, an empty chat replaces it. */
  async function removeSession(id: string): Promise<void> {
    if (!(await history.remove(id)) || session.sessionId.value !== id) return;
    host.problem.value = null;
    await startNew();
  }

  async function newChat(): Promise<void> {
    await openSession(null);
    await messages.focus();
  }

  /** Asks a question in a new chat. The draft and mode of the other chat stay. */
  async function ask(question: ViewEvents['ask']): Promise<void> {
    await newChat();
    await messages.ask(question);
  }

  async function backToChat(): Promise<void> {
    show('chat');
    await messages.focus();
  }

  function refresh(): void {
    if (page.value === 'history') history.refresh();
    if (page.value === 'settings') settings.refresh();
  }

  host.on('navigate', (target) => {
    if (target.page === 'history') {
      if (page.value !== 'history') show('history');
      if (target.search === true) searchRequests.value += 1;
    } else if (target.page !== 'chat') show(target.page, 'tab' in target ? target.tab : undefined);
    else if (target.sessionId === null) void newChat();
    else void openSession(target.sessionId);
  });
  host.on('restore', ({ target }) => {
    show('chat');
    void restore.show(target);
  });
  host.on('attach', () => void backToChat());
  host.on('ask', (question) => void ask(question));
  host.on('focusComposer', () => void backToChat());

  return { page, searchRequests, show, openSession, load, removeSession, newChat, backToChat, refresh };
}
