import { computed, inject, ref, type InjectionKey, type Ref } from 'vue';
import type { ChangesState, ReviewPositionState } from '../../protocol/changedFiles';
import type { Host } from '../common/useHost';
import { useSessionResource } from '../common/useSessionResource';

type ChangesHandle = ReturnType<typeof useChanges>;

export const changesKey: InjectionKey<ChangesHandle> = Symbol('changes');

/** Returns null without an extension. */
export function useChangesHandle(): ChangesHandle | null {
  return inject(changesKey, null);
}

/** Provides the pending changes of the shown session, as compared by the extension. */
export function useChanges(host: Host, sessionId: Ref<string | null>) {
  const { value: state } = useSessionResource<ChangesState, 'changes'>(host, sessionId, {
    empty: { files: [], revertible: [] },
    read: (id) => host.api.listChanges({ sessionId: id }),
    event: 'changes',
    fromEvent: (event) => event,
  });
  const files = computed(() => state.value.files);
  const revertible = computed(() => new Set(state.value.revertible));
  const { value: position } = useSessionResource<ReviewPositionState | null, 'reviewPosition'>(host, sessionId, {
    empty: null,
    // The extension sends the position together with the changes.
    read: () => Promise.resolve(null),
    event: 'reviewPosition',
    fromEvent: (event) => event.position,
  });
  const isBusy = ref(false);

  /** Runs one action at a time, so that a second click cannot interfere. */
  async function act(work: (id: string) => Promise<{ problems?: string[] }>): Promise<void> {
    const id = sessionId.value;
    if (id === null || isBusy.value) return;
    isBusy.value = true;
    const answer = await host.attempt(work(id));
    isBusy.value = false;
    const problems = answer?.problems ?? [];
    if (problems.length > 0) host.problem.value = problems.join(' ');
  }

  const keep = (paths: string[] | null) => act((id) => host.api.keepChanges({ sessionId: id, paths }));
  const undo = (paths: string[] | null) => act((id) => host.api.undoChanges({ sessionId: id, paths }));
  const takeBack = (seq: number) => act((id) => host.api.takeBackReview({ sessionId: id, seq }));

  const keepHunk = (path: string, id: string) => act((session) => host.api.keepHunk({ sessionId: session, path, id }));
  const undoHunk = (path: string, id: string) => act((session) => host.api.undoHunk({ sessionId: session, path, id }));

  const keepMessage = (turn: number) => act((session) => host.api.keepMessage({ sessionId: session, turn }));
  const undoMessage = (turn: number) => act((session) => host.api.undoMessage({ sessionId: session, turn }));

  async function step(direction: 'next' | 'previous'): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.stepChange({ sessionId: sessionId.value, direction }));
  }

  async function compare(path: string): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.compareChange({ sessionId: sessionId.value, path }));
  }

  async function review(path: string, line?: number): Promise<void> {
    if (sessionId.value === null) return;
    await host.attempt(host.api.reviewChange({ sessionId: sessionId.value, path, ...(line !== undefined && { line }) }));
  }

  return {
    files,
    revertible,
    position,
    isBusy,
    keep,
    undo,
    keepHunk,
    undoHunk,
    keepMessage,
    undoMessage,
    takeBack,
    review,
    step,
    compare,
  };
}
