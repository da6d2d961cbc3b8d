import { formOfEntry, serverOfForm } from '../../../mcp/config/serverEntry';
import type { McpServers } from '../../../mcp/mcpServers';
import type { HostApi } from '../../../protocol/hostApi';
import type { McpServerForm } from '../../../protocol/forms/mcpServerForm';
import { askToRemove, checkForm, openServerFile, ownEntry, removeOwnServer, saveOwnServer } from '../../../vscode/mcp/ownServers';
import { noResult } from '../../noResult';
import { toolTokens } from './mcpHandlers';

type McpFormApi = Pick<
  HostApi,
  'readMcpServer' | 'testMcpServer' | 'stopMcpTest' | 'saveMcpServer' | 'removeMcpServer' | 'openMcpFile'
>;

/** Maximum length of the server log to show, in characters. */
const maxLog = 4000;

export function mcpFormHandlers(mcp: McpServers): McpFormApi {
  return {
    readMcpServer: ({ name }) => Promise.resolve({ server: formOfEntry(name, ownEntry(name)) }),
    testMcpServer: async ({ server, former }) => {
      checkForm(server, former);
      const { outcome, tools, problem, warnings, log } = await mcp.test(toConfig(server, former));
      const listed = tools.map(({ tool, title, about }) => ({ name: title, about, tokens: toolTokens(tool) }));
      return { outcome, tools: listed, problem, warnings: [...warnings], log: log.slice(-maxLog) };
    },
    stopMcpTest: noResult(() => mcp.stopTest()),
    saveMcpServer: noResult(async ({ server, former }) => {
      await saveOwnServer(server, former);
      await mcp.refresh();
      // The state of the server shows the result.
      void mcp.start(server.name);
    }),
    removeMcpServer: async ({ name }) => {
      const answer = await askToRemove(name, hasSecrets(mcp, name));
      if (answer === 'no') return { isRemoved: false };
      if (answer === 'entryAndSecrets') {
        await mcp.forget(name);
        await mcp.signOut(name);
      }
      await removeOwnServer(name);
      await mcp.refresh();
      return { isRemoved: true };
    },
    openMcpFile: noResult(({ name }) => openServerFile(name)),
  };
}

function toConfig(form: McpServerForm, former: string | null) {
  const config = serverOfForm(form, former === null ? undefined : ownEntry(former));
  // A valid form always describes a server.
  if (config === null) throw new Error(`No server: ${form.name}`);
  return config;
}

/** Returns true if a server may have stored inputs or a sign-in. */
function hasSecrets(mcp: McpServers, name: string): boolean {
  const server = mcp.get(name);
  if (server === undefined) return false;
  return JSON.stringify(server.config).includes('${input:') || server.signInOrigins !== null;
}
