import { computed, inject, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../protocol/hostApi';
import type { ConnectionState, WorkspaceState } from '../../protocol/webviewEvents';
import type { Host } from '../common/useHost';
import { isOnThisMachine, ollamaPort } from '../../types/httpAddress';

export interface HostSystem extends Pick<HostResult<'ready'>, 'system' | 'windowsHost'> {
  /** Port of Ollama on this computer. Null if the address belongs to another computer. */
  ollamaPort: string | null;
}

const noSystem: HostSystem = { system: 'other', windowsHost: null, ollamaPort: null };
export const systemKey: InjectionKey<Ref<HostSystem>> = Symbol('system');

export function useSystem(): Ref<HostSystem> {
  return inject(systemKey, () => shallowRef(noSystem), true);
}

export const workspaceKey: InjectionKey<Readonly<Ref<WorkspaceState>>> = Symbol('workspace');

export function useSurroundings(host: Host, connection: Readonly<Ref<ConnectionState>>) {
  const told = shallowRef<Omit<HostSystem, 'ollamaPort'>>(noSystem);
  const workspace = shallowRef<WorkspaceState>({ name: null, hasFolder: true, isTrusted: true });
  const system = computed(() => ({ ...told.value, ollamaPort: portOnThisMachine(connection.value.baseUrl) }));

  function start(ready: HostResult<'ready'>): void {
    workspace.value = ready.workspace;
    told.value = ready;
  }
  host.on('workspace', (state) => (workspace.value = state));

  return { system, workspace, start };
}

/** Returns the address. For `localhost`, adds both IP addresses that the name resolves to. */
export function askedAddress(baseUrl: string): string {
  return /^https?:\/\/localhost(?=[:/]|$)/.test(baseUrl) ? `${baseUrl} (127.0.0.1, ::1)` : baseUrl;
}

/** Returns the port of a server on this computer (by default Ollama's port). Returns null for another computer. */
export function portOnThisMachine(baseUrl: string): string | null {
  return isOnThisMachine(baseUrl) ? new URL(baseUrl).port || ollamaPort : null;
}
