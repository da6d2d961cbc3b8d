import { homedir } from 'node:os';
import type { Memento, SecretStorage } from 'vscode';
import type { Settings } from '../config/settings';
import type * as SignIn from '../mcp/auth/signIn';
import { SignInStore } from '../mcp/auth/storedSignIn';
import { readServers } from '../mcp/config/serverConfig';
import { ServerInputs } from '../mcp/config/serverInputs';
import { mergedServers, readWorkspaceServers } from '../mcp/config/workspaceFiles';
import { McpServers } from '../mcp/mcpServers';
import type { Connect } from '../mcp/server/serverConnection';
import { trustedFolders, type WorkspacePort } from '../services/files/workspacePorts';
import { systemClock } from '../utils/clock';
import { t } from '../utils/l10n';
import type { Logger } from '../utils/logger';
import { askForServers, workspaceApprovals } from '../vscode/mcp/workspaceApprovals';
import { ownEntries, saveForCommand } from '../vscode/settingsSource';
import { askToSignIn, whileSigningIn } from '../vscode/mcp/signInPerson';
import { askForInput } from '../vscode/mcp/askForInput';

export interface McpWindow {
  settings: Settings;
  workspace: WorkspacePort;
  secrets: SecretStorage;
  memento: Memento;
  logger: Logger;
}

/** Loads the client with the first server that is started. */
const connect: Connect = async (...asked) => {
  const client = await import(/* webpackChunkName: "mcp" */ '../mcp/server/connect');
  return client.connect(...asked);
};

/** Loads the flow with the client, when a person signs in. */
const signIn: typeof SignIn.signIn = async (...asked) => {
  const flow = await import(/* webpackChunkName: "mcp" */ '../mcp/auth/signIn');
  return flow.signIn(...asked);
};

/** Builds the MCP servers of this window; none where the workspace is not trusted. */
export function createMcpServers({ settings, workspace, secrets, memento, logger }: McpWindow): McpServers {
  const folder = () => workspace.folders()[0]?.path ?? null;
  const inputs = new ServerInputs(secrets, folder, askForInput);
  const signIns = new SignInStore(secrets);
  const approvals = workspaceApprovals(memento);
  return new McpServers({
    ...{ connect, clock: systemClock, logger, signIns },
    mayStart: () => workspace.isTrusted(),
    read: async () => {
      const folders = trustedFolders(workspace).map(({ path }) => path);
      const own = readServers(workspace.isTrusted() ? settings.mcpServers : {}, 'settings');
      if (!workspace.isTrusted()) own.problems.push(t('MCP servers do not start before you trust this workspace.'));
      const read = mergedServers(own, await readWorkspaceServers(folders, approvals));
      inputs.known = read.inputs;
      return read;
    },
    off: () => settings.getAgentConfig().disabledTools,
    setOff: (names) => {
      const own = ownEntries('agent.disabledTools', names);
      const isInForce = () => settings.getAgentConfig().disabledTools.every((name) => names.includes(name));
      return saveForCommand('agent.disabledTools', own.length === 0 ? undefined : own, isInForce);
    },
    ask: askForServers,
    askToSignIn,
    signIn: (server, challenge, client) =>
      whileSigningIn(server, (person, signal) => signIn(challenge, client, person, signIns, signal)),
    forget: (ids, server) => inputs.forget(ids, server),
    answered: ({ path, hash, environment }, isAllowed) => approvals.set(path, hash, isAllowed, environment),
    variables: {
      folder,
      home: homedir,
      env: (name) => process.env[name],
      input: (id, server) => inputs.value(id, server),
    },
  });
}
