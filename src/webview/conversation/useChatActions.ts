import { ref, watch, type InjectionKey, type Ref } from 'vue';
import type { ErrorAction } from '../../protocol/entries';
import type { Host } from '../common/useHost';
import type { SlashAction } from '../composer/slash/slashCommands';
import type { useSession } from '../sessions/useSession';
import type { SettingsTab } from '../settings/catalogue';
import type { ChatHandle, FileLocation } from '../types';

export const chatActionsKey: InjectionKey<ReturnType<typeof useChatActions>> = Symbol('chatActions');

interface Pages {
  show(page: 'history' | 'settings', tab?: SettingsTab): void;
  newChat(): Promise<void>;
}

/** Provides actions that leave the chat or continue after an error. */
export function useChatActions(
  host: Host,
  pages: Pages,
  session: ReturnType<typeof useSession>,
  model: Readonly<Ref<string | null>>,
  chat: Readonly<Ref<ChatHandle | null>>,
) {
  /** True if the user tried to compact a chat without old messages. The next run resets it. */
  const isTooShort = ref(false);
  watch([session.sessionId, session.isRunning], ([id, isRunning], [before]) => {
    if (id !== before || isRunning) isTooShort.value = false;
  });

  async function compact(): Promise<void> {
    isTooShort.value = false;
    const id = session.sessionId.value;
    const isCompacted = await session.compact(model.value);
    if (session.sessionId.value === id) isTooShort.value = !isCompacted;
  }

  function slash(action: SlashAction): void {
    if (action === 'new') void pages.newChat();
    else if (action === 'history') pages.show('history');
    else if (action === 'settings') pages.show('settings');
    else if (action === 'compact') void compact();
    else chat.value?.openModels();
  }

  function act(action: ErrorAction, tab?: SettingsTab): void {
    switch (action) {
      case 'retry':
        void session.retry(model.value);
        break;
      case 'retryLarger':
        void session.retry(model.value, true);
        break;
      case 'stop':
        chat.value?.focus();
        break;
      case 'newSession':
        void pages.newChat();
        break;
      case 'selectModel':
        chat.value?.openModels();
        break;
      case 'openSettings':
        pages.show('settings', tab);
        break;
      case 'showLog':
      case 'openFolder':
      case 'manageTrust':
        void host.attempt(host.api.runCommand({ command: action }));
        break;
      case 'setToken':
        void host.attempt(host.api.runCommand({ command: 'setBearerToken' }));
        break;
      // The error component handles these actions itself.
      case 'startOllama':
      case 'pullModel':
        break;
    }
  }

  /** Sends the decision and focuses the composer, because the clicked button disappears. */
  function decide(approvalId: string, approve: boolean, always?: boolean, hasHost?: boolean): void {
    void session.decide(approvalId, approve, always, hasHost);
    chat.value?.focus();
  }

  function continueRun(): void {
    void session.continueRun(model.value);
    chat.value?.focus();
  }

  /** Opens the requests of an answer in an editor. */
  function showRequest(turn: number): void {
    const sessionId = session.sessionId.value;
    if (sessionId !== null) void host.attempt(host.api.showRequest({ sessionId, turn }));
  }

  async function stopCommand(callId: string): Promise<void> {
    const sessionId = session.sessionId.value;
    if (sessionId !== null) await host.attempt(host.api.stopCommand({ sessionId, callId }));
    chat.value?.focus();
  }

  async function continueInBackground(callId: string): Promise<void> {
    const sessionId = session.sessionId.value;
    if (sessionId !== null) await host.attempt(host.api.continueInBackground({ sessionId, callId }));
    chat.value?.focus();
  }

  return {
    isTooShort,
    stopCommand,
    continueInBackground,
    slash,
    act,
    continueRun,
    decide,
    openFile: (location: FileLocation) => host.attempt(host.api.openFile(location)),
    openLink: host.openLink,
    showRequest,
    report: host.report,
  };
}
