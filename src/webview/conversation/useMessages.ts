import { computed, nextTick, watch, type InjectionKey, type Ref } from 'vue';
import type { AttachmentRef } from '../../protocol/entries';
import type { Turn } from '../../protocol/timeline';
import { isMode } from '../../types/modes';
import type { QueuedMessageItem } from '../../protocol/requests/messageRequests';
import type { ViewEvents } from '../../protocol/webviewEvents';
import type { StateStore } from '../hostConnection';
import { expandCommand, promptText } from '../composer/slash/slashCommands';
import type { ChatHandle } from '../types';
import type { useAgents } from '../composer/useAgents';
import { useAttachments } from '../composer/useAttachments';
import { useComposer, type Draft } from '../composer/useComposer';
import type { RecallStep } from '../composer/useRecall';
import type { useSessionGrants } from '../composer/pickers/useGrants';
import type { Host } from '../common/useHost';
import type { useModels } from '../composer/pickers/useModels';
import { resendWarning } from '../common/modelWarning';
import { questionToAnswer, type QuestionActions } from './questions/useQuestions';
import { useOutbox } from '../composer/useOutbox';
import { useQueue } from '../composer/useQueue';
import type { useSession } from '../sessions/useSession';
import type { useStorage } from '../start/useStorage';

interface Around {
  session: ReturnType<typeof useSession>;
  server: ReturnType<typeof useModels>;
  grants: ReturnType<typeof useSessionGrants>;
  storage: ReturnType<typeof useStorage>;
  agents: ReturnType<typeof useAgents>;
  questions: QuestionActions;
}

export const messagesKey: InjectionKey<ReturnType<typeof useMessages>> = Symbol('messages');

export function useMessages(
  host: Host,
  store: StateStore,
  { session, server, grants, storage, agents, questions }: Around,
  chat: Readonly<Ref<ChatHandle | null>>,
) {
  const composer = useComposer(store, session.sessionId);
  const { draft, draftOf, edit, forgetEditsFrom, forgetSent, giveBack, handOver } = composer;
  const context = useAttachments(host, store, session.sessionId);
  const outbox = useOutbox(store);
  const queue = useQueue(host, session.sessionId);
  /** Agents only work in Agent mode. */
  const isAgents = computed(() => server.mode.value === 'agent');
  const model = computed(() => {
    const named = isAgents.value ? agents.modelAmong(server.models.value.models.map(({ name }) => name)) : null;
    return named ?? server.models.value.selected[server.mode.value] ?? null;
  });

  /** Pending question that the message replies to. A message with attachments is queued instead. */
  const question = computed(() => (context.items.value.length > 0 ? null : questionToAnswer(session.timeline.value)));

  /**
   * Prepares the next request with its attachments, so that the server can read its start and the context meter can count
   * it. Ignores failures, because sending does not need this step.
   */
  function prepare(): void {
    const implicit = context.implicit.value;
    const request = { sessionId: session.sessionId.value, attachments: [...context.items.value] };
    host.api.prepare({ ...request, ...(implicit.length > 0 && { implicit: [...implicit] }) }).catch(() => undefined);
  }
  watch(() => JSON.stringify([context.items.value, context.implicit.value]), prepare);

  /** Sends the draft and clears it. If sending fails, restores the draft, even after a reload. */
  async function send(): Promise<void> {
    const id = session.sessionId.value;
    if (!(await storage.isThere())) return;
    if (!(await context.settled())) return;
    const text = expandCommand(draft.value).trim();
    // If the user opens another chat, the draft stays in its own chat.
    if (text === '' || session.sessionId.value !== id) return;
    const items = context.items.value;
    const implicit = context.implicit.value;
    const asked = question.value;
    const outgoing = { sessionId: id, text, attachments: items, since: composer.writtenAt(id) };
    outbox.add(outgoing);
    draft.value = '';
    context.take();
    const message = [
      text,
      server.mode.value,
      model.value,
      [...(isAgents.value ? agents.attached.value : []), ...items, ...implicit],
    ] as const;
    const isQueued = session.isRunning.value && asked === null;
    const isSent = await (asked !== null
      ? questions.answer(asked.questionId, text)
      : isQueued
        ? queue.add(...message)
        : session.send(...message, { grants: grants.forNext(), onBegun: takeAlong }));
    if (!isSent) {
      giveBack(text, id);
      context.add(items, id);
    } else if (!isQueued) showSent(id);
    outbox.drop(outgoing);
  }

  /** Moves text and attachments to the new session. The user wrote them while the first message of the chat was being sent. */
  function takeAlong(sessionId: string): void {
    handOver(null, sessionId);
    context.add(context.take(null), sessionId);
  }

  /**
   * Records the draft and attachments of the empty chat. The returned
   * function moves them to a session if they changed since then.
   */
  function followEmptyChat(): (sessionId: string) => void {
    const held = () => JSON.stringify([draftOf(null), context.listOf(null)]);
    const before = held();
    return (sessionId) => {
      if (held() !== before) takeAlong(sessionId);
    };
  }

  /** Scrolls to a sent message. A new session opens at its end anyway. */
  function showSent(id: string | null): void {
    if (session.sessionId.value === id) chat.value?.toEnd();
  }

  /** Copies a queued message to the composer before removing it, so that the message is never lost. */
  async function editQueued({ id, text, attachments }: QueuedMessageItem): Promise<void> {
    const shown = session.sessionId.value;
    const takeOut = giveBack(text, shown);
    if (await queue.remove(id)) context.add(attachments, shown);
    else takeOut();
  }

  async function sendQueued(id: string): Promise<void> {
    const shown = session.sessionId.value;
    await queue.sendNow(id);
    showSent(shown);
  }

  /** Explains why the selected model cannot read the attachments of an edited message. Returns null if it can. */
  function describeLack(attachments: readonly AttachmentRef[]): string | null {
    return resendWarning(server.models.value.models, model.value, attachments);
  }

  /** Replaces the edited message. If the selected model cannot read its images, opens the list of models instead. */
  async function resend(attachments: readonly AttachmentRef[]): Promise<void> {
    const edited = edit.value;
    if (edited === null || edited.text.trim() === '') return;
    if (describeLack(attachments) !== null) {
      chat.value?.openModels();
      return;
    }
    const id = session.sessionId.value;
    const isSent = await session.resend(edited.seq, edited.text.trim(), server.mode.value, model.value);
    if (!isSent || session.sessionId.value !== id) return;
    forgetEditsFrom(edited.seq);
    showSent(id);
    await focus();
  }

  /** Regenerates an answer in its original mode. Replaces the answer and all later turns. */
  async function answerAgain({ seq, user, model: before }: Turn, chosen: string | null): Promise<void> {
    if (user === null) return;
    const id = session.sessionId.value;
    const of = isMode(user.mode) ? user.mode : server.mode.value;
    const isThere = (name: string | null) => server.models.value.models.some((one) => one.name === name);
    const wanted = chosen ?? before;
    const next = isThere(wanted) ? wanted : (server.models.value.selected[of] ?? model.value);
    if (!(await session.resend(seq, user.text, of, next)) || session.sessionId.value !== id) return;
    forgetEditsFrom(seq);
    showSent(id);
    await focus();
  }

  /** Position of the recalled message, counted from the end. 0 if no message is recalled. */
  let recalled = 0;

  /** Recalls the previous or next message. Replaces an empty draft or a recalled text without edits. */
  function recall(step: RecallStep): void {
    const texts = session.timeline.value.turns.flatMap(({ user }) => (user === null ? [] : [user.text]));
    const sent = texts.filter((text, index) => text !== texts[index + 1]);
    const isShown = recalled > 0 && draft.value === sent.at(-recalled);
    const next = (isShown ? recalled : 0) - step;
    if ((draft.value !== '' && !isShown) || next < 0 || next > sent.length) return;
    recalled = next;
    draft.value = next === 0 ? '' : (sent.at(-next) ?? '');
  }

  /** Drops drafts and unconfirmed messages that were sent before a reload. Restores the others in the composer. */
  async function dropSent(): Promise<void> {
    const wasSent = async ({ text, ...written }: Draft) => {
      const sent = expandCommand(text).trim();
      if (sent === '') return null;
      const answer = await host.api.wasSent({ ...written, text: sent }).catch(() => null);
      return answer?.sent ?? null;
    };
    for (const id of await forgetSent(wasSent)) context.take(id);
    for (const message of outbox.takeLeft()) {
      const { sessionId, text, attachments, since } = message;
      if ((await wasSent({ sessionId, text, since })) !== 'whole') {
        giveBack(text, sessionId, since);
        context.add(attachments, sessionId);
      }
      outbox.drop(message);
    }
  }

  async function ask({ prompt, items }: ViewEvents['ask']): Promise<void> {
    agents.choose(null);
    await server.selectMode('ask');
    const text = promptText(prompt);
    const isSent = await session.send(text, server.mode.value, model.value, items, { grants: grants.forNext() });
    if (isSent || draftOf(null) !== '') return;
    giveBack(text, null);
    context.add(items, null);
  }

  async function focus(): Promise<void> {
    await nextTick();
    chat.value?.focus();
  }

  return {
    draft,
    edit,
    model,
    question,
    context,
    queue,
    handOver,
    followEmptyChat,
    dropSent,
    prepare,
    send,
    editQueued,
    sendQueued,
    warningOf: describeLack,
    resend,
    answerAgain,
    recall,
    ask,
    focus,
  };
}
