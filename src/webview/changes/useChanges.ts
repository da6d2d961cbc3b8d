import { inject, ref, type InjectionKey, type Ref } from 'vue';
import type { ChangedFileState } from '../../protocol/webviewEvents';
import type { Host } from '../common/useHost';
import { useSessionResource } from '../common/useSessionResource';

type ChangesHandle = ReturnType<typeof useChanges>;

export const changesKey: InjectionKey<ChangesHandle> = Symbol('changes');

/** null where there is no extension to act. */
export function useChangesHandle(): ChangesHandle | null {
  return inject(changesKey, null);
}

/** The files that the agent has changed in the shown session and nobody has answered for; the extension compares them. */
export function useChanges(host: Host, sessionId: Ref<string | null>) {
  const { value: files } = useSessionResource<readonly ChangedFileState[], 'changes'>(host, sessionId, {
    empty: [],
    read: async (id) => (await host.api.listChanges({ sessionId: id })).files,
    event: 'changes',
    fromEvent: (event) => event.files,
  });
  const isBusy = ref(false);

  /** One answer at a time: a second press must not meet what the first one is doing. */
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

  async function review(path: string, line?: number): Promise<void> {
    if (sessionId.value === null) return;
    await host.attempt(host.api.reviewChange({ sessionId: sessionId.value, path, ...(line !== undefined && { line }) }));
  }

  return { files, isBusy, keep, undo, takeBack, review };
}
