import { computed, onMounted, provide, ref, type Ref } from 'vue';
import { changesKey, useChanges } from './changes/useChanges';
import { restoreKey, useRestore } from './changes/useRestore';
import { useWorkSession, workSessionKey } from './changes/useWorkSession';
import { share } from './common/provided';
import { completionsKey, useCompletions } from './common/useCompletions';
import { imagesKey, useImages } from './common/images/useImages';
import { useHost } from './common/useHost';
import { contextUseKey, useContextUse } from './composer/pickers/useContextUse';
import { memoryKey, useMemory } from './composer/pickers/useMemory';
import { grantsKey, useSessionGrants } from './composer/pickers/useGrants';
import { modelOfSessionKey, modelsKey, useModels } from './composer/pickers/useModels';
import { agentsKey, useAgents } from './composer/useAgents';
import { mentionsKey, useMentions } from './composer/useMentions';
import { backgroundKey, useBackground } from './composer/background/useBackground';
import { useChatKeys } from './conversation/useChatKeys';
import { createQuestions, questionsKey } from './conversation/questions/useQuestions';
import { useAnnouncements } from './conversation/useAnnouncements';
import { commandOutputKey, useCommandOutput } from './conversation/useCommandOutput';
import { chatActionsKey, useChatActions } from './conversation/useChatActions';
import { createPlaces, placesKey } from './markdown/usePlaces';
import { codeActionsKey } from './markdown/useCodeActions';
import { planActionsKey, usePlan } from './conversation/usePlan';
import { messagesKey, useMessages } from './conversation/useMessages';
import { createScrollPlaces, scrollPlacesKey } from './conversation/useScrollPlace';
import type { StateStore } from './hostConnection';
import { statisticsKey, useStatistics } from './analytics/useStatistics';
import { historyKey, useHistory } from './sessions/useHistory';
import { sessionKey, useSession } from './sessions/useSession';
import { mcpKey, useMcpServers } from './common/useMcpServers';
import { settingsKey, useSettingsPage } from './settings/useSettingsPage';
import { pullsKey, usePulls } from './start/usePulls';
import { storageKey, storageProblemKey, useStorage, watchCutOff } from './start/useStorage';
import { systemKey, useSurroundings, workspaceKey } from './start/useSystem';
import { setViewTexts } from './translate';
import type { ChatHandle } from './types';
import { usePages } from './usePages';

export function useView(store: StateStore, chat: Readonly<Ref<ChatHandle | null>>) {
  const host = useHost();
  const isReady = ref(false);
  const session = share(sessionKey, useSession(host));
  const { sessionId } = session;
  const server = share(modelsKey, useModels(host));
  const history = share(historyKey, useHistory(host));
  share(contextUseKey, useContextUse(host));
  share(memoryKey, useMemory(host, sessionId));
  share(changesKey, useChanges(host, sessionId));
  const restore = share(restoreKey, useRestore(host, sessionId, session.timeline));
  share(workSessionKey, useWorkSession(host, sessionId));
  share(mentionsKey, useMentions(host));
  share(backgroundKey, useBackground(host, sessionId));
  const grants = useSessionGrants(host, sessionId);
  provide(grantsKey, grants);
  share(commandOutputKey, useCommandOutput(host, sessionId));
  const questions = share(questionsKey, createQuestions(host, sessionId));
  const storage = share(storageKey, useStorage(host, restart));
  share(storageProblemKey, watchCutOff(storage.state, session.isRunning));
  const agents = share(agentsKey, useAgents(host, store));
  const messages = share(messagesKey, useMessages(host, store, { session, server, grants, storage, agents, questions }, chat));
  share(planActionsKey, usePlan(session, server, messages.draft, chat));
  share(codeActionsKey, {
    insertAtCursor: (text) => void host.attempt(host.api.insertAtCursor({ text })),
    applyToFile: (text) => void host.attempt(host.api.applyToFile({ text })),
  });
  const pulls = share(pullsKey, usePulls(host, server.models));
  share(completionsKey, useCompletions(host));
  share(imagesKey, useImages(host));
  share(placesKey, createPlaces(host));
  share(scrollPlacesKey, createScrollPlaces(store));
  share(mcpKey, useMcpServers(host));
  const surroundings = useSurroundings(host, server.connection);
  share(systemKey, surroundings.system);
  share(workspaceKey, surroundings.workspace);
  /** Model of the session's mode. A run continues with this model, even if another one is selected for the next message. */
  const modelOfSession = share(
    modelOfSessionKey,
    computed(() => server.models.value.selected[session.summary.value?.mode ?? server.mode.value] ?? null),
  );
  const settings = share(settingsKey, useSettingsPage(host, server));
  share(statisticsKey, useStatistics(host));
  const pages = usePages(host, { session, server, history, messages, settings, restore }, chat);
  const actions = share(chatActionsKey, useChatActions(host, pages, session, modelOfSession, chat));
  const announcement = useAnnouncements(session.timeline, session.run);
  useChatKeys(
    session,
    chat,
    computed(() => pages.page.value === 'chat'),
  );

  async function start(takesUpLast = true): Promise<void> {
    const asked = server.countModeChoices();
    const moveAdded = messages.followEmptyChat();
    const ready = await host.attempt(host.api.ready({}));
    if (ready !== undefined) {
      setViewTexts(ready.l10n);
      surroundings.start(ready);
      server.start(ready, asked);
      pulls.start(ready);
      grants.start(ready);
      storage.start(ready);
      messages.context.start(ready);
      // This must come first, because the user can open another chat once the view is ready.
      if (takesUpLast && ready.sessionId !== null && sessionId.value === null) {
        moveAdded(ready.sessionId);
        await pages.load(ready.sessionId);
      }
      if (ready.storage.state === 'open') {
        // Reading agents searches the workspace, so this only happens if an agent is selected.
        if (agents.isChosen.value) await agents.refresh();
        await messages.dropSent();
        if (messages.context.items.value.length > 0) messages.prepare();
      }
    }
    isReady.value = true;
  }

  /** Reloads the shown session when the storage opens. Closes the session if it is not stored. */
  async function restart(): Promise<void> {
    const before = sessionId.value;
    // Do not replace a new draft with another session.
    const isWriting = before === null && messages.draft.value !== '';
    if (before !== null) await session.open(null);
    await start(!isWriting);
    pages.refresh();
    if (before !== null && sessionId.value === null) messages.handOver(before);
  }

  onMounted(() => void start());
  return { host, isReady, session, pages, actions, announcement };
}
