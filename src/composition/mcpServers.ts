import { homedir } from 'node:os';
import type { SecretStorage } from 'vscode';
import type { Settings } from '../config/settings';
import { readServers } from '../mcp/config/serverConfig';
import { McpServers } from '../mcp/mcpServers';
import type { Connect } from '../mcp/server/serverConnection';
import type { WorkspacePort } from '../services/files/workspacePorts';
import { systemClock } from '../utils/clock';
import type { Logger } from '../utils/logger';
import { ServerInputs } from '../vscode/mcp/serverInputs';

export interface McpWindow {
  settings: Settings;
  workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'>;
  secrets: SecretStorage;
  logger: Logger;
}

/** Loads the client with the first server that is started. */
const connect: Connect = async (...asked) => {
  const client = await import(/* webpackChunkName: "mcp" */ '../mcp/server/connect');
  return client.connect(...asked);
};

/** Builds the MCP servers of this window; none where the workspace is not trusted. */
export function createMcpServers({ settings, workspace, secrets, logger }: McpWindow): McpServers {
  const inputs = new ServerInputs(secrets);
  return new McpServers({
    ...{ connect, clock: systemClock, logger },
    read: async () => {
      const read = readServers(workspace.isTrusted() ? settings.mcpServers : {}, 'settings');
      inputs.known = read.inputs;
      return Promise.resolve(read);
    },
    variables: {
      folder: () => workspace.folders()[0]?.path ?? null,
      home: homedir,
      env: (name) => process.env[name],
      input: (id, server) => inputs.value(id, server),
    },
  });
}
