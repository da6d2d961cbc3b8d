import { computed, inject, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { Grants } from '../../../protocol/webviewEvents';
import type { Host } from '../../common/useHost';

export type GrantChange = Partial<Pick<Grants, 'commands' | 'sensitiveEdits' | 'files'>> & { forgetCommands?: boolean };

/** Of a session that is begun with a message. */
export type NextGrants = Pick<Grants, 'commands' | 'sensitiveEdits'> & Partial<Pick<Grants, 'files'>>;

/** What runs without a question, wherever in the view it is shown or changed. */
export interface GrantsHandle {
  readonly grants: Readonly<Ref<Grants>>;
  readonly change: (change: GrantChange) => void;
}

export const grantsKey: InjectionKey<GrantsHandle> = Symbol('grants');

const nothing: Grants = { commands: false, sensitiveEdits: false, allowedCommands: [], files: [] };

export function useGrants(): GrantsHandle {
  return inject(grantsKey, { grants: shallowRef(nothing), change: () => undefined });
}

/** Of the shown session, as the extension keeps them; of one that is not begun yet, until its first message is sent. */
export function useSessionGrants(host: Host, sessionId: Ref<string | null>) {
  let byDefault = nothing;
  const stored = shallowRef<Grants>(nothing);
  const ofNext = shallowRef<Grants>(nothing);
  const grants = computed(() => (sessionId.value === null ? ofNext.value : stored.value));
  /** What is told by itself is newer than what was asked for before it. */
  let told = 0;
  /** Changes of patterns, each of which sends the whole list, that are on their way: what is shown is what they leave. */
  let changing = 0;

  function start(ready: HostResult<'ready'>): void {
    byDefault = ready.grants;
    if (sessionId.value === null) ofNext.value = byDefault;
  }

  async function refresh(): Promise<void> {
    const id = sessionId.value;
    if (id === null) return;
    const before = told;
    const answer = await host.attempt(host.api.getGrants({ sessionId: id }));
    if (answer !== undefined && told === before) stored.value = answer;
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
    stored.value = { ...stored.value, files };
    told += 1;
    changing += 1;
    await asked;
    changing -= 1;
    if (changing === 0) await refresh();
  }

  /** What goes with the first message of a session; without it nothing is allowed. */
  function forNext(): NextGrants | undefined {
    const { commands, sensitiveEdits, files } = ofNext.value;
    if (files.length > 0) return { commands, sensitiveEdits, files };
    return commands || sensitiveEdits ? { commands, sensitiveEdits } : undefined;
  }

  watch(sessionId, (id) => {
    told += 1;
    stored.value = nothing;
    if (id === null) ofNext.value = byDefault;
    void refresh();
  });
  host.on('grants', (event) => {
    if (event.sessionId !== sessionId.value) return;
    told += 1;
    stored.value = changing === 0 ? event.grants : { ...event.grants, files: stored.value.files };
  });

  return { grants, change, forNext, start };
}
