import { computed, inject, readonly, ref, type InjectionKey, type Ref } from 'vue';
import type { UnapprovedFile, WorkSession } from '../../protocol/restore';
import type { Host } from '../common/useHost';
import { t } from '../translate';
import { useSessionResource } from '../common/useSessionResource';

export interface WorkSessionHandle {
  /** Work session. Null if the state of the workspace is unknown. */
  readonly workSession: Readonly<Ref<WorkSession | null>>;
  /** True if the user approved a state of the files. Before that, the baseline is the first checkpoint of the work session. */
  readonly hasApproved: Readonly<Ref<boolean>>;
  /** Name of the action that resets the files to the work session's baseline. */
  readonly resetName: Readonly<Ref<string>>;
  readonly isBusy: Readonly<Ref<boolean>>;
  approve(): Promise<void>;
  more(): Promise<void>;
  review(file: UnapprovedFile): Promise<void>;
}

export const workSessionKey: InjectionKey<WorkSessionHandle> = Symbol('workSession');

/** Returns null without an extension. */
export function useWorkSessionHandle(): WorkSessionHandle | null {
  return inject(workSessionKey, null);
}

/** Tracks differences between the shown session and its approved state. The extension compares them. */
export function useWorkSession(host: Host, sessionId: Ref<string | null>): WorkSessionHandle {
  const { value: workSession, refresh } = useSessionResource<WorkSession | null, 'workSession'>(host, sessionId, {
    empty: null,
    read: async (id) => (await host.api.getWorkSession({ sessionId: id })).workSession,
    event: 'workSession',
    fromEvent: (event) => event.workSession,
  });
  const hasApproved = computed(() => (workSession.value?.lastApprovedAt ?? null) !== null);
  const resetName = computed(() => (hasApproved.value ? t('Reset to approved') : t('Reset work session')));
  const isBusy = ref(false);

  async function more(): Promise<void> {
    const id = sessionId.value;
    const shown = workSession.value;
    if (id === null || shown === null) return;
    const answer = await host.attempt(host.api.getWorkSession({ sessionId: id, from: shown.files.length }));
    const next = answer?.workSession ?? null;
    // If an update arrived during the request, a new list is already loading.
    if (next === null || workSession.value !== shown) return;
    // If files appeared or disappeared, the offset is wrong.
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

  return {
    workSession: readonly(workSession) as Readonly<Ref<WorkSession | null>>,
    hasApproved,
    resetName,
    isBusy,
    approve,
    more,
    review,
  };
}
