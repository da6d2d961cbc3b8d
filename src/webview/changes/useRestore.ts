import { computed, inject, ref, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { LeftOut, PlannedFile, RestorePlan, RestoreTarget, Uncovered } from '../../protocol/restore';
import type { RestoreNote, Timeline } from '../../protocol/timeline';
import type { Host } from '../common/useHost';

export interface ShownPlan {
  target: RestoreTarget;
  title: string;
  files: readonly PlannedFile[];
  leftOut: LeftOut;
  uncovered: Uncovered;
  closedFolders?: readonly string[] | undefined;
  chosen: ReadonlySet<string>;
  /** `seq` of the message that a restore of all files returns to. */
  fromSeq?: number | undefined;
  /** ID of the tool call whose command the restore undoes. */
  undoneCall?: string | undefined;
  /** True if the plan restores files again after an undo. */
  isRepeat?: boolean;
}

export interface RestoreHandle {
  readonly plan: Readonly<Ref<ShownPlan | null>>;
  readonly isBusy: Readonly<Ref<boolean>>;
  /**
   * Last restore. Null if the chat continued or the user closed the bar. Also null if the restore cannot be undone and its
   * turns cannot be kept.
   */
  readonly latest: Readonly<Ref<RestoreNote | null>>;
  /** Hides the bar of the last restore. Its line in the chat still has the buttons. */
  dismissLatest(): void;
  /** `seq` of each restore that undid turns. */
  readonly undoing: Readonly<Ref<ReadonlySet<number>>>;
  /** Returns true if the restore undid another restore. Returns false if it restored files again after an undo. */
  isUndo(note: RestoreNote): boolean;
  /** Returns true if the checkpoint of a message, or the checkpoint before a restore, still exists. */
  has(id: string | null): id is string;
  /** Reloads the checkpoints, because some may have been deleted. */
  refresh(): Promise<void>;
  /**
   * Shows a plan for all files or for the given absolute paths. With `fromSeq`, the restore
   * also undoes the turns from this message on.
   */
  show(target: RestoreTarget, files?: string[], fromSeq?: number): Promise<void>;
  /** Restores the files that a command changed. If a file changed again since then, shows the plan first. */
  undoCommand(command: { callId: string; before: string; after: string }): Promise<void>;
  /** Sends undone turns to the model again. `seq` is the entry of the restore. */
  keepTurns(seq: number): Promise<void>;
  compareAll(checkpointId: string): Promise<void>;
  /** Shows what changed during a command, in all files or in one file. */
  compareCommand(command: { before: string; after: string }, path?: string): Promise<void>;
  /** Restores a saved Git history. Resolves to undefined after a failure, which is shown to the user. */
  bringBackHistory(id: number): Promise<{ place: string | null; previous: string | null } | undefined>;
  choose(files: readonly string[], isChosen: boolean): void;
  carryOut(): Promise<void>;
  compare(file: PlannedFile): Promise<void>;
  close(): void;
}

export const restoreKey: InjectionKey<RestoreHandle> = Symbol('restore');

/** Returns null without an extension. */
export function useRestoreHandle(): RestoreHandle | null {
  return inject(restoreKey, null);
}

/** Returns true if a file is selected by default. The file can be restored, and only the agent changed it. */
export function isSafe({ action }: PlannedFile): boolean {
  return action !== 'keep' && action !== 'conflict';
}

function latestRestore({ turns }: Timeline): RestoreNote | null {
  const last = turns.at(-1);
  if (last === undefined || last.outcome === 'running') return null;
  const block = last.blocks.findLast(({ kind }) => ['restore', 'text', 'thinking', 'toolGroup', 'error'].includes(kind));
  return block?.kind === 'restore' && block.paths.length > 0 ? block : null;
}

/** Provides the checkpoints of the shown session. A restore runs after the user confirms it. */
export function useRestore(host: Host, sessionId: Ref<string | null>, timeline: Readonly<Ref<Timeline>>): RestoreHandle {
  const plan = shallowRef<ShownPlan | null>(null);
  const isBusy = ref(false);
  const missing = shallowRef<ReadonlySet<string>>(new Set());
  const lastTurn = () => timeline.value.turns.at(-1)?.seq;
  /** `seq` of the last turn when the plan was created. */
  let plannedAt: number | undefined;

  async function refresh(): Promise<void> {
    const id = sessionId.value;
    try {
      const { ids } = id === null ? { ids: [] } : await host.api.listMissingCheckpoints({ sessionId: id });
      if (sessionId.value === id) missing.value = new Set(ids);
    } catch (error) {
      host.report(error);
    }
  }

  const notes = computed(() =>
    timeline.value.turns.flatMap(({ blocks }) => blocks.filter((block): block is RestoreNote => block.kind === 'restore')),
  );
  function isUndo({ undoes }: RestoreNote): boolean {
    const undone = notes.value.find(({ operationId }) => operationId !== null && operationId === undoes);
    return undoes !== null && (undone === undefined || !isUndo(undone));
  }

  const has = (id: string | null): id is string => id !== null && !missing.value.has(id);

  /** Runs one action at a time. Ignores the result if another session is shown by then. */
  async function act<T>(work: (id: string) => Promise<T>): Promise<T | undefined> {
    const id = sessionId.value;
    if (id === null || isBusy.value) return undefined;
    isBusy.value = true;
    const answer = await host.attempt(work(id));
    isBusy.value = false;
    // The checkpoint may have been deleted in the meantime.
    if (answer === undefined) void refresh();
    return sessionId.value === id ? answer : undefined;
  }

  /** Shows a plan. Undoing a restore and restoring named files run without a second confirmation if there are no conflicts. */
  async function show(target: RestoreTarget, only?: string[], fromSeq?: number): Promise<void> {
    const answer = await act((id) => host.api.planRestore({ sessionId: id, target, files: only }));
    const undone = target.kind === 'restore' ? notes.value.find(({ operationId }) => operationId === target.id) : undefined;
    const purpose = { target, fromSeq, isRepeat: undone !== undefined && isUndo(undone) };
    if (answer !== undefined) await open(answer, purpose, target.kind === 'restore' || only !== undefined);
  }

  async function undoCommand({ callId, before, after }: { callId: string; before: string; after: string }): Promise<void> {
    const answer = await act((id) => host.api.planCommandUndo({ sessionId: id, before, after }));
    const target = { kind: 'checkpoint', id: before } as const;
    if (answer !== undefined) await open(answer, { target, undoneCall: callId }, true);
  }

  /** Shows a plan. Runs it immediately if `isMeant` is true and there are no conflicts. */
  async function open(
    answer: RestorePlan,
    purpose: Pick<ShownPlan, 'target' | 'fromSeq' | 'undoneCall' | 'isRepeat'>,
    isMeant: boolean,
  ): Promise<void> {
    const chosen = new Set(answer.files.filter(isSafe).map(({ file }) => file));
    plan.value = { ...purpose, ...answer, chosen };
    plannedAt = lastTurn();
    if (isMeant && chosen.size > 0 && chosen.size === answer.files.length) await carryOut();
  }

  function choose(files: readonly string[], isChosen: boolean): void {
    if (plan.value === null) return;
    const chosen = new Set(plan.value.chosen);
    for (const file of files) {
      if (isChosen) chosen.add(file);
      else chosen.delete(file);
    }
    plan.value = { ...plan.value, chosen };
  }

  async function carryOut(): Promise<void> {
    const shown = plan.value;
    if (shown === null || shown.chosen.size === 0) return;
    const { target, chosen, fromSeq, undoneCall } = shown;
    const left = shown.files.filter(({ file }) => !chosen.has(file));
    const undone = {
      // The user cannot deselect files that cannot be restored.
      ...(left.every(({ action }) => action === 'keep') && { fromSeq }),
      ...(left.length === 0 && { undoneCall }),
    };
    const overwrite = shown.files.filter(({ file, action }) => action === 'conflict' && chosen.has(file)).map(({ file }) => file);
    const isDone = await act((id) => host.api.restoreFiles({ sessionId: id, target, files: [...chosen], overwrite, ...undone }));
    if (isDone !== undefined && plan.value?.target === target) plan.value = null;
  }

  async function compare({ file, shown, exists, hash }: PlannedFile): Promise<void> {
    await host.attempt(host.api.compareFile({ file, shown, exists, hash, isBase: false }));
  }

  async function compareAll(checkpointId: string): Promise<void> {
    await act((id) => host.api.compareWithCheckpoint({ sessionId: id, checkpointId }));
  }

  async function compareCommand({ before, after }: { before: string; after: string }, path?: string): Promise<void> {
    const id = sessionId.value;
    if (id !== null) await host.attempt(host.api.compareCommand({ sessionId: id, before, after, path }));
  }

  async function bringBackHistory(id: number): Promise<{ place: string | null; previous: string | null } | undefined> {
    const session = sessionId.value;
    return session === null ? undefined : host.attempt(host.api.bringBackHistory({ sessionId: session, id }));
  }

  async function keepTurns(seq: number): Promise<void> {
    await act((id) => host.api.keepTurns({ sessionId: id, seq }));
  }

  const undoing = computed(() => new Set(timeline.value.turns.flatMap(({ undoneBy }) => undoneBy ?? [])));
  const dismissed = ref<number | null>(null);
  const latest = computed(() => {
    const note = latestRestore(timeline.value);
    if (note === null || note.seq === dismissed.value) return null;
    return (has(note.operationId) && !note.isUndone) || undoing.value.has(note.seq) ? note : null;
  });
  const dismissLatest = (): void => void (dismissed.value = latest.value?.seq ?? null);

  const close = (): void => void (plan.value = null);
  // A message sent after the plan was created can change the files in the plan.
  watch(lastTurn, (seq) => {
    if (seq !== undefined && plannedAt !== undefined && seq > plannedAt) close();
  });
  watch(sessionId, () => {
    close();
    dismissed.value = null;
    void refresh();
  });
  host.on('runState', (run) => {
    if (run.sessionId === sessionId.value && run.state === 'idle') void refresh();
  });
  return {
    plan: computed(() => plan.value),
    isBusy,
    latest,
    dismissLatest,
    undoing,
    isUndo,
    has,
    refresh,
    show,
    undoCommand,
    choose,
    carryOut,
    compare,
    compareAll,
    compareCommand,
    bringBackHistory,
    keepTurns,
    close,
  };
}
