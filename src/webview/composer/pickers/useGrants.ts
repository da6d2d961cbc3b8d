import { computed, inject, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { Grants } from '../../../protocol/requests/grants';
import type { SettingsState } from '../../../protocol/webviewEvents';
import type { Host } from '../../common/useHost';
import { useSessionResource, type SessionResource } from '../../common/useSessionResource';

export type SessionGrantChange = Partial<Omit<Grants, 'allowedCommands'>> & { forgetCommands?: boolean };

/** Permissions for a session that is created by its first message. */
export type NextGrants = Pick<Grants, 'commands' | 'sensitiveEdits'> & Partial<Pick<Grants, 'sandbox' | 'files'>>;

/** Auto-approvals, shared by all components that show or change them. */
export interface GrantsHandle {
  readonly grants: Readonly<Ref<Grants>>;
  readonly change: (change: SessionGrantChange) => void;
}

export const grantsKey: InjectionKey<GrantsHandle> = Symbol('grants');

const nothing: Grants = {
  commands: false,
  sandbox: false,
  hosts: [],
  sensitiveEdits: false,
  allowedCommands: [],
  files: [],
};

export function useGrants(): GrantsHandle {
  return inject(grantsKey, { grants: shallowRef(nothing), change: () => undefined });
}

/** Tracks the auto-approvals of the shown session. For a new session, stores them until its first message. */
export function useSessionGrants(host: Host, sessionId: Ref<string | null>) {
  let byDefault = nothing;
  /**
   * Number of pending pattern changes. Each change sends the whole list, so events must
   * not replace the patterns until it is done.
   */
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

  /** Applies settings that change while the view is open. Keeps what the user selected for the next session. */
  function follow({ settings }: SettingsState): void {
    const before = byDefault;
    const isOn = (key: string, otherwise: boolean): boolean => {
      const found = settings.find((one) => one.key === key);
      return found === undefined ? otherwise : (found.problem === null ? (found.inForce ?? found.value) : found.default) === true;
    };
    const commands = isOn('agent.autoApproveCommands', before.commands);
    const sandbox = isOn('agent.sandbox.enabled', before.sandbox);
    byDefault = { ...before, commands, sandbox };
    const next = ofNext.value;
    if (sessionId.value !== null) return;
    ofNext.value = {
      ...next,
      ...(next.commands === before.commands && { commands }),
      ...(next.sandbox === before.sandbox && { sandbox }),
    };
  }
  host.on('settings', follow);

  function change(wanted: SessionGrantChange): void {
    const id = sessionId.value;
    const { forgetCommands, ...ofNew } = wanted;
    if (id === null) {
      ofNext.value = { ...ofNext.value, ...ofNew };
    } else {
      const { files } = wanted;
      const asked = host.attempt(
        host.api.changeGrants({ sessionId: id, ...ofNew, ...(forgetCommands === true && { forgetCommands }) }),
      );
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

  /** Returns the permissions to send with the first message of a session. */
  function forNext(): NextGrants | undefined {
    const { commands, sandbox, sensitiveEdits, files } = ofNext.value;
    if (!commands && !sandbox && !sensitiveEdits && files.length === 0) return undefined;
    return { commands, sensitiveEdits, ...(sandbox && { sandbox }), ...(files.length > 0 && { files }) };
  }

  watch(sessionId, (id) => {
    if (id === null) ofNext.value = byDefault;
  });

  return { grants, change, forNext, start };
}
