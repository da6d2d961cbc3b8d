import { computed, shallowRef, type InjectionKey } from 'vue';
import type { McpServerForm } from '../../protocol/forms/mcpServerForm';
import type { HostResult } from '../../protocol/hostApi';
import { provided } from './provided';
import type { Host } from './useHost';

export const mcpKey: InjectionKey<ReturnType<typeof useMcpServers>> = Symbol('mcp');

export function useMcpOfView(): ReturnType<typeof useMcpServers> {
  return provided(mcpKey);
}

/** Tracks MCP servers. Starts with the first request. */
export function useMcpServers(host: Host) {
  const state = shallowRef<HostResult<'listMcpServers'> | null>(null);
  host.on('mcp', (next) => (state.value = next));

  async function read(): Promise<void> {
    state.value = (await host.attempt(host.api.listMcpServers({}))) ?? state.value;
  }

  type Action = Parameters<typeof host.api.actOnMcpServer>[0]['action'];
  const act = async (name: string, action: Action): Promise<void> => {
    await host.attempt(host.api.actOnMcpServer({ name, action }));
  };
  const allow = async (path: string, hash: string): Promise<void> => {
    await host.attempt(host.api.allowMcpFile({ path, hash }));
  };
  const setOn = async (name: string, isOn: boolean): Promise<void> => {
    await host.attempt(host.api.setToolOn({ name, isOn }));
  };
  const importServers = async (): Promise<void> => {
    await host.attempt(host.api.importMcpServers({}));
  };
  /** Resolves to the form values of a configured server. Resolves to undefined if the server is missing. */
  const readServer = async (name: string): Promise<McpServerForm | undefined> =>
    (await host.attempt(host.api.readMcpServer({ name })))?.server ?? undefined;
  const openFile = async (name: string): Promise<void> => {
    await host.attempt(host.api.openMcpFile({ name }));
  };
  /** Resolves to true if the user confirmed and the server was removed. */
  const remove = async (name: string): Promise<boolean> =>
    (await host.attempt(host.api.removeMcpServer({ name })))?.isRemoved === true;
  // The form shows these errors.
  const test = (server: McpServerForm, former: string | null) => host.api.testMcpServer({ server, former });
  const stopTest = () => host.attempt(host.api.stopMcpTest({}));
  const save = (server: McpServerForm, former: string | null) => host.api.saveMcpServer({ server, former });
  /** Asks the user for the arguments of a prompt. Resolves to the text of the prompt, or to undefined if cancelled. */
  const prompt = async (server: string, name: string): Promise<string | undefined> =>
    (await host.attempt(host.api.readMcpPrompt({ server, name })))?.text ?? undefined;
  const prompts = computed(() => state.value?.prompts ?? []);
  /** Addresses that receive tool calls. */
  const addresses = computed(() => (state.value?.servers ?? []).flatMap(({ address }) => (address === null ? [] : [address])));
  /** Origins that the servers use for sign-in. */
  const signInOrigins = computed(() => [...new Set((state.value?.servers ?? []).flatMap((server) => server.signInOrigins))]);
  const programs = computed(() => (state.value?.servers ?? []).filter(({ address }) => address === null).map(({ name }) => name));
  return {
    state,
    addresses,
    signInOrigins,
    programs,
    prompts,
    read,
    act,
    allow,
    prompt,
    setOn,
    importServers,
    readServer,
    openFile,
    remove,
    test,
    stopTest,
    save,
  };
}
