import { computed, inject, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { Grants } from '../../../protocol/webviewEvents';
import type { Host } from '../../common/useHost';
import { useSessionResource, type SessionResource } from '../../common/useSessionResource';

export type GrantChange = Partial<Pick<Grants, 'commands' | 'sensitiveEdits' | 'files'>> & { forgetCommands?: boolean };

/** Permissions of a session that begins with a message. */
export type NextGrants = Pick<Grants, 'commands' | 'sensitiveEdits'> & Partial<Pick<Grants, 'files'>>;

/** Permissions to run without a question, for every place in the view that shows or changes them. */
export interface GrantsHandle {
  readonly grants: Readonly<Ref<Grants>>;
  readonly change: (change: GrantChange) => void;
}

export const grantsKey: InjectionKey<GrantsHandle> = Symbol('grants');

const nothing: Grants = { commands: false, sensitiveEdits: false, allowedCommands: [], files: [] };

export function useGrants(): GrantsHandle {
  return inject(grantsKey, { grants: shallowRef(nothing), change: () => undefined });
}

/** Follows the permissions of the shown session, as the extension keeps them; holds those of a new one until its first message is sent. */
export function useSessionGrants(host: Host, sessionId: Ref<string | null>) {
  let byDefault = nothing;
  /** Changes of patterns, each of which sends the whole list, that are on their way: what is shown is what they leave. */
  let changing = 0;
  const resource: SessionResource<Grants> = useSessionResource<Grants, 'grants'>(host, sessionId, {
    empty: nothing,
    read: (id) => host.api.getGrants({ sessionId: id }),
    event: 'grants',
    fromEvent: (event): Grants => (changing === 0 ? event.grants : { ...event.grants, files: resource.value.value.files }),
  });
  const { value: stored, refresh, put } = resource;
  const ofNext = shallowRef<Grants>(nothing);
  const grants = computed(() => (sessionId.value === null ? ofNext.value : stored.value));

  function start(ready: HostResult<'ready'>): void {
    byDefault = ready.grants;
    if (sessionId.value === null) ofNext.value = byDefault;
  }

  function change({ commands, sensitiveEdits, forgetCommands, files }: GrantChange): void {
    const id = sessionId.value;
    if (id === null) {
      ofNext.value = {
        ...ofNext.value,
        ...(commands !== undefined && { commands }),
        ...(sensitiveEdits !== undefined && { sensitiveEdits }),
        ...(files !== undefined && { files }),
      };
    } else {
      const asked = host.attempt(host.api.changeGrants({ sessionId: id, commands, sensitiveEdits, forgetCommands, files }));
      if (files !== undefined) void showMeanwhile(files, asked);
    }
  }

  async function showMeanwhile(files: Grants['files'], asked: Promise<unknown>): Promise<void> {
    put({ ...stored.value, files });
    changing += 1;
    await asked;
    changing -= 1;
    if (changing === 0) await refresh();
  }

  /** Returns the permissions to send with the first message of a session; without them nothing is allowed. */
  function forNext(): NextGrants | undefined {
    const { commands, sensitiveEdits, files } = ofNext.value;
    if (files.length > 0) return { commands, sensitiveEdits, files };
    return commands || sensitiveEdits ? { commands, sensitiveEdits } : undefined;
  }

  watch(sessionId, (id) => {
    if (id === null) ofNext.value = byDefault;
  });

  return { grants, change, forNext, start };
}
