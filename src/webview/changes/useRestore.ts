import { computed, inject, ref, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { LeftOut, PlannedFile, RestoreTarget, Uncovered } from '../../protocol/restore';
import type { RestoreNote, Timeline } from '../../protocol/timeline';
import type { Host } from '../common/useHost';

/** Plan of a restore, and what a person has chosen of it. */
export interface ShownPlan {
  target: RestoreTarget;
  title: string;
  files: readonly PlannedFile[];
  leftOut: LeftOut;
  uncovered: Uncovered;
  /** Paths of the files that are brought back. */
  chosen: ReadonlySet<string>;
  /** `seq` of the message that it goes back to, of a plan for all files. */
  fromSeq: number | undefined;
}

export interface RestoreHandle {
  readonly plan: Readonly<Ref<ShownPlan | null>>;
  /** A plan is being made or carried out. */
  readonly isBusy: Readonly<Ref<boolean>>;
  /** Restore that was the last thing to happen; null if something was said or done since, or it restored nothing. */
  readonly latest: Readonly<Ref<RestoreNote | null>>;
  /** `seq` of each restore that has undone turns. */
  readonly undoing: Readonly<Ref<ReadonlySet<number>>>;
  /** Tells whether there is something to go back to: the checkpoint of a message, or the one before a restore. */
  has(id: string | null): id is string;
  /** Checkpoints may have been deleted. */
  refresh(): Promise<void>;
  /** `files`: to these alone, absolute. `fromSeq`: `seq` of the message whose checkpoint it is, to undo what was said since too. */
  show(target: RestoreTarget, files?: string[], fromSeq?: number): Promise<void>;
  /** Sends the turns that a restore has undone, given by the `seq` of its entry, to the model nevertheless. */
  keepTurns(seq: number): Promise<void>;
  /** Shows what has changed since a checkpoint. */
  compareAll(checkpointId: string): Promise<void>;
  /** Shows what changed while a command ran, in all files or in one. */
  compareCommand(command: { before: string; after: string }, path?: string): Promise<void>;
  /** Brings a kept Git history back; undefined where that failed, which is shown. */
  bringBackHistory(id: number): Promise<{ place: string | null } | undefined>;
  choose(files: readonly string[], isChosen: boolean): void;
  carryOut(): Promise<void>;
  compare(file: PlannedFile): Promise<void>;
  close(): void;
}

export const restoreKey: InjectionKey<RestoreHandle> = Symbol('restore');

/** null where there is no extension to act. */
export function useRestoreHandle(): RestoreHandle | null {
  return inject(restoreKey, null);
}

/** Tells whether a file is chosen by default: all are but those that others have changed and those that cannot be restored. */
export function isSafe({ action }: PlannedFile): boolean {
  return action !== 'keep' && action !== 'conflict';
}

function latestRestore({ turns }: Timeline): RestoreNote | null {
  const last = turns.at(-1);
  if (last === undefined || last.outcome === 'running') return null;
  const block = last.blocks.findLast(({ kind }) => ['restore', 'text', 'thinking', 'toolGroup', 'error'].includes(kind));
  return block?.kind === 'restore' && block.paths.length > 0 ? block : null;
}

/** Checkpoints of the shown session: a plan is shown first, and carried out when a person has agreed to it. */
export function useRestore(host: Host, sessionId: Ref<string | null>, timeline: Readonly<Ref<Timeline>>): RestoreHandle {
  const plan = shallowRef<ShownPlan | null>(null);
  const isBusy = ref(false);
  const missing = shallowRef<ReadonlySet<string>>(new Set());

  async function refresh(): Promise<void> {
    const id = sessionId.value;
    try {
      const { ids } = id === null ? { ids: [] } : await host.api.listMissingCheckpoints({ sessionId: id });
      if (sessionId.value === id) missing.value = new Set(ids);
    } catch (error) {
      // Whoever tries to go back learns why it does not work.
      host.report(error);
    }
  }

  const has = (id: string | null): id is string => id !== null && !missing.value.has(id);

  /** Runs one action at a time; drops an answer about a session that is not shown any more. */
  async function act<T>(work: (id: string) => Promise<T>): Promise<T | undefined> {
    const id = sessionId.value;
    if (id === null || isBusy.value) return undefined;
    isBusy.value = true;
    const answer = await host.attempt(work(id));
    isBusy.value = false;
    // It may have been deleted meanwhile.
    if (answer === undefined) void refresh();
    return sessionId.value === id ? answer : undefined;
  }

  /** An undo that nothing speaks against needs no second word, nor does a file that was named. */
  async function show(target: RestoreTarget, only?: string[], fromSeq?: number): Promise<void> {
    const answer = await act((id) => host.api.planRestore({ sessionId: id, target, files: only }));
    if (answer === undefined) return;
    const chosen = new Set(answer.files.filter(isSafe).map(({ file }) => file));
    plan.value = { target, ...answer, chosen, fromSeq };
    const isMeant = target.kind === 'restore' || only !== undefined;
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
    const { target, chosen } = shown;
    // What cannot be restored is not for a person to choose.
    const isWhole = shown.files.every(({ file, action }) => action === 'keep' || chosen.has(file));
    const since = isWhole && shown.fromSeq !== undefined ? { fromSeq: shown.fromSeq } : {};
    const overwrite = shown.files.filter(({ file, action }) => action === 'conflict' && chosen.has(file)).map(({ file }) => file);
    const isDone = await act((id) => host.api.restoreFiles({ sessionId: id, target, files: [...chosen], overwrite, ...since }));
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

  async function bringBackHistory(id: number): Promise<{ place: string | null } | undefined> {
    const session = sessionId.value;
    return session === null ? undefined : host.attempt(host.api.bringBackHistory({ sessionId: session, id }));
  }

  async function keepTurns(seq: number): Promise<void> {
    await act((id) => host.api.keepTurns({ sessionId: id, seq }));
  }

  const close = (): void => void (plan.value = null);
  watch(sessionId, () => {
    close();
    void refresh();
  });
  host.on('runState', (run) => {
    if (run.sessionId === sessionId.value && run.state === 'idle') void refresh();
  });
  return {
    plan: computed(() => plan.value),
    isBusy,
    latest: computed(() => latestRestore(timeline.value)),
    undoing: computed(() => new Set(timeline.value.turns.flatMap(({ undoneBy }) => undoneBy ?? []))),
    has,
    refresh,
    show,
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
