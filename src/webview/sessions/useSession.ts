import { computed, onScopeDispose, ref, shallowRef, type InjectionKey } from 'vue';
import type { AttachmentRef } from '../../protocol/entries';
import type { Timeline } from '../../protocol/timeline';
import { createTimelineReducer } from '../../protocol/reducer/timelineMemo';
import type { RunState, SessionSummary } from '../../protocol/webviewEvents';
import { isLive } from '../../types/runState';
import { firstTurn, type NewChatMessage, type NewChatMode } from './firstMessage';
import { SessionSync } from './sessionSync';
import { useEarlierEntries } from './useEarlierEntries';
import type { Host } from '../common/useHost';

/** Number of earlier entries per request. */
const earlierPage = 300;

/** Milliseconds during which a requested run counts as started before the extension confirms it. */
const beginning = 2000;

export const sessionKey: InjectionKey<ReturnType<typeof useSession>> = Symbol('session');

export function useSession(host: Host) {
  const sessionId = ref<string | null>(null);
  const summary = shallowRef<SessionSummary | null>(null);
  const run = shallowRef<RunState | null>(null);
  const timeline = shallowRef<Timeline>({ turns: [] });
  const isLoading = ref(false);
  const isSending = ref(false);
  const isBeginning = ref(false);

  let sync: SessionSync | null = null;
  let reduce = createTimelineReducer();
  let isScheduled = false;
  /** Number of the latest request. A late response to an earlier request must not end the latest one. */
  let begun = 0;
  const undoneSummaries = shallowRef<ReadonlySet<number>>(new Set());
  /** `seq` of the last entry when the current run was requested or reported. */
  let settledThrough = 0;
  const deciding = new Set<string>();

  const { hasEarlier, isLoadingEarlier, loadEarlier, loadThrough } = useEarlierEntries({
    sync: () => sync,
    firstShown: () => timeline.value.turns[0]?.seq,
    publish,
    fail: host.fail,
  });
  const isRunning = computed(() => isBeginning.value || (run.value !== null && isLive(run.value.state)));

  function publish(): void {
    isScheduled = false;
    // A new session already shows its first message.
    if (sync === null || (isLoading.value && sync.log.entries.length === 0)) return;
    timeline.value = reduce(sync.log.entries, { isLive: isRunning.value, settledThrough });
    hasEarlier.value = sync.log.firstSeq > 1;
    undoneSummaries.value = new Set(
      sync.log.entries.flatMap((entry) => (entry.type === 'compact_undone' ? [entry.data.markerSeq] : [])),
    );
  }
  /** Updates the view at most once per frame. A hidden view has no frames, so a timer is used. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    if (document.visibilityState === 'visible') requestAnimationFrame(publish);
    else setTimeout(publish, 100);
  }

  function setRun(state: RunState | null): void {
    run.value = state;
    schedule();
  }

  function show(id: string | null, isBegun: boolean): void {
    sync?.close();
    isBeginning.value = isBegun;
    begun += 1;
    settledThrough = 0;
    sync = null;
    reduce = createTimelineReducer();
    sessionId.value = id;
    summary.value = null;
    run.value = null;
    if (!isBegun) timeline.value = { turns: [] };
    isLoading.value = false;
    hasEarlier.value = isLoadingEarlier.value = false;
  }

  async function open(id: string | null, isBegun = false): Promise<void> {
    show(id, isBegun);
    if (id === null) return;
    isLoading.value = true;
    const opened = new SessionSync({
      fetch: (sinceRevision) => host.api.openSession({ sessionId: id, sinceRevision }),
      fetchEarlier: (beforeSeq) => host.api.earlierEntries({ sessionId: id, beforeSeq, limit: earlierPage }),
      onSnapshot: (snapshot) => {
        summary.value = snapshot.session;
        run.value = snapshot.run;
      },
      onChange: schedule,
      onProblem: (error) => host.fail(error),
      delay: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    });
    sync = opened;
    await opened.resume();
    if (sync !== opened) return;
    publish();
    isLoading.value = false;
  }

  /** Returns true if an edited message removed a loaded entry from the chat. */
  function isRewound(seq: number): boolean {
    const entries = sync?.log.entries ?? [];
    return entries.some((entry) => entry.type === 'rewind' && entry.data.fromSeq <= seq && seq < entry.seq);
  }

  /** Sends a message. Shows a chat's first message immediately. Resolves to false after a failure, so that the user can retry. */
  async function send(
    text: string,
    mode: NewChatMode,
    model: string | null,
    attachments: readonly AttachmentRef[] = [],
    { grants, onBegun }: NewChatMessage = {},
  ): Promise<boolean> {
    if (isSending.value) return false;
    isSending.value = true;
    begin();
    try {
      const before = sessionId.value;
      if (before === null) timeline.value = { turns: [firstTurn(text, mode, model, attachments)] };
      const answer = await host.attempt(
        host.api.send({
          sessionId: before,
          text,
          mode,
          model,
          ...(attachments.length > 0 && { attachments: [...attachments] }),
          ...(before === null && grants !== undefined && { grants }),
        }),
      );
      if (answer !== undefined && sessionId.value === before && answer.sessionId !== before) {
        onBegun?.(answer.sessionId);
        await open(answer.sessionId, true);
      }
      if (answer === undefined && sessionId.value === before) {
        settleBeginning();
        if (before === null) timeline.value = { turns: [] };
      }
      return answer !== undefined;
    } finally {
      isSending.value = false;
      settleLater();
    }
  }

  const retry = (model: string | null, isLarger = false) => again('retry', model, isLarger);
  const continueRun = (model: string | null) => again('continueRun', model);
  async function again(request: 'retry' | 'continueRun', model: string | null, isLarger = false): Promise<void> {
    const id = sessionId.value;
    if (id === null || isRunning.value) return;
    begin();
    schedule();
    const answer = await host.attempt(host.api[request]({ sessionId: id, model, ...(isLarger && { isLarger }) }));
    if (answer === undefined && sessionId.value === id) settleBeginning();
    settleLater();
  }

  /** Replaces a message. Resolves to false if that failed. The user can then retry. */
  async function resend(seq: number, text: string, mode: NewChatMode, model: string | null): Promise<boolean> {
    const id = sessionId.value;
    if (id === null || isSending.value) return false;
    isSending.value = true;
    const before = settledThrough;
    begin();
    try {
      const answer = await host.attempt(host.api.resend({ sessionId: id, seq, text, mode, model }));
      if (answer === undefined && sessionId.value === id) {
        // The run that must stop first may still be active.
        settledThrough = before;
        settleBeginning();
      }
      return answer !== undefined;
    } finally {
      isSending.value = false;
      settleLater();
    }
  }

  /** Starts the plan `seq`. Resolves to true if it started. */
  async function startPlan(seq: number, model: string | null): Promise<boolean> {
    const id = sessionId.value;
    if (id === null || isRunning.value) return false;
    begin();
    const answer = await host.attempt(host.api.startPlan({ sessionId: id, seq, model }));
    if (answer === undefined && sessionId.value === id) settleBeginning();
    settleLater();
    return answer !== undefined;
  }

  /** Summarizes old messages. Resolves to false if there are none. */
  async function compact(model: string | null): Promise<boolean> {
    const id = sessionId.value;
    return id !== null && (await host.attempt(host.api.compact({ sessionId: id, model })))?.isCompacted !== false;
  }

  async function undoCompaction(seq: number): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.undoCompaction({ sessionId: sessionId.value, seq }));
  }

  async function changeModel(model: string): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.changeModel({ sessionId: sessionId.value, model }));
  }

  async function stop(): Promise<void> {
    if (sessionId.value === null || !isRunning.value || run.value?.state === 'elsewhere') return;
    const before = run.value;
    if (before !== null) setRun({ ...before, activity: { kind: 'stopping' } });
    const answer = await host.attempt(host.api.stop({ sessionId: sessionId.value }));
    if (answer === undefined && run.value?.activity?.kind === 'stopping') setRun(before);
  }

  /** Sends the decision about an approval only once, even if the user presses the key repeatedly. */
  async function decide(approvalId: string, approve: boolean, always = false, hasHost = false): Promise<void> {
    if (sessionId.value === null || deciding.has(approvalId)) return;
    deciding.add(approvalId);
    const answer = await host.attempt(
      host.api.decideApproval({
        sessionId: sessionId.value,
        approvalId,
        approve,
        ...(always && { always }),
        ...(hasHost && { host: true }),
      }),
    );
    if (answer === undefined) deciding.delete(approvalId);
  }

  function begin(): void {
    isBeginning.value = true;
    host.problem.value = null;
    settleSoFar();
  }
  /** Marks all pending entries as no longer running, because their run has ended or was killed. */
  function settleSoFar(): void {
    settledThrough = sync?.log.entries.at(-1)?.seq ?? 0;
  }
  function settleLater(): void {
    const mine = begun;
    setTimeout(() => mine === begun && settleBeginning(), beginning);
  }
  // Cancel pending timers on unmount.
  onScopeDispose(() => (begun += 1), true);
  function settleBeginning(): void {
    isBeginning.value = false;
    schedule();
  }

  host.on('log', (event) => {
    if (event.sessionId === sessionId.value) sync?.hear(event);
  });
  host.on('runState', (state) => {
    if (state.sessionId !== sessionId.value) return;
    const isNowLive = isLive(state.state);
    if (isNowLive && !isRunning.value) settleSoFar();
    if (isNowLive) isBeginning.value = false;
    setRun(state);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void sync?.resume();
  });

  return {
    sessionId,
    summary,
    run,
    timeline,
    isLoading,
    isRunning,
    isSending,
    hasEarlier,
    isLoadingEarlier,
    open,
    loadEarlier,
    loadThrough,
    isRewound,
    send,
    resend,
    retry,
    continueRun,
    startPlan,
    changeModel,
    stop,
    decide,
    compact,
    undoCompaction,
    undoneSummaries,
  };
}
