import { inject, readonly, ref, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { UnapprovedFile, WorkSession } from '../../protocol/restore';
import type { Host } from '../common/useHost';

export interface WorkSessionHandle {
  /** Null where nothing can be known of the workspace. */
  readonly workSession: Readonly<Ref<WorkSession | null>>;
  readonly isBusy: Readonly<Ref<boolean>>;
  approve(): Promise<void>;
  /** Lists further files, where not all are. */
  more(): Promise<void>;
  review(file: UnapprovedFile): Promise<void>;
}

export const workSessionKey: InjectionKey<WorkSessionHandle> = Symbol('workSession');

/** null where there is no extension to act. */
export function useWorkSessionHandle(): WorkSessionHandle | null {
  return inject(workSessionKey, null);
}

/** What differs from the approved state of the shown session; the extension compares. */
export function useWorkSession(host: Host, sessionId: Ref<string | null>): WorkSessionHandle {
  const workSession = shallowRef<WorkSession | null>(null);
  const isBusy = ref(false);
  /** What is told by itself is newer than what was asked for before it. */
  let told = 0;

  async function refresh(): Promise<void> {
    const id = sessionId.value;
    if (id === null) return;
    const before = told;
    const answer = await host.attempt(host.api.getWorkSession({ sessionId: id }));
    if (answer !== undefined && told === before) workSession.value = answer.workSession;
  }

  async function more(): Promise<void> {
    const [id, shown] = [sessionId.value, workSession.value];
    if (id === null || shown === null) return;
    const answer = await host.attempt(host.api.getWorkSession({ sessionId: id, from: shown.files.length }));
    const next = answer?.workSession ?? null;
    // What was told meanwhile begins anew.
    if (next === null || workSession.value !== shown) return;
    // Where others have come or gone, the numbers are no longer those of before.
    if (next.count !== shown.count) return refresh();
    const known = new Set(shown.files.map(({ path }) => path));
    workSession.value = { ...next, files: [...shown.files, ...next.files.filter(({ path }) => !known.has(path))] };
  }

  async function approve(): Promise<void> {
    const id = sessionId.value;
    if (id === null || isBusy.value) return;
    isBusy.value = true;
    await host.attempt(host.api.approveSession({ sessionId: id }));
    isBusy.value = false;
  }

  async function review({ path, shown, status, hash }: UnapprovedFile): Promise<void> {
    await host.attempt(host.api.compareFile({ file: path, shown, exists: status !== 'deleted', hash, isBase: true }));
  }

  watch(sessionId, () => {
    told += 1;
    workSession.value = null;
    void refresh();
  });
  host.on('workSession', (event) => {
    if (event.sessionId !== sessionId.value) return;
    told += 1;
    workSession.value = event.workSession;
  });

  return { workSession: readonly(workSession) as Readonly<Ref<WorkSession | null>>, isBusy, approve, more, review };
}
