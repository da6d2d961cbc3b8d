import { homedir } from 'node:os';
import type { Memento, SecretStorage } from 'vscode';
import type { Settings } from '../config/settings';
import type * as SignIn from '../mcp/auth/signIn';
import { SignInStore } from '../mcp/auth/storedSignIn';
import { readServers } from '../mcp/config/serverConfig';
import { ServerInputs } from '../mcp/config/serverInputs';
import { mergedServers, readWorkspaceServers } from '../mcp/config/workspaceFiles';
import { McpServers } from '../mcp/mcpServers';
import { loadAndConnect } from '../mcp/server/loadedConnect';
import type { ConfineProgram } from '../mcp/server/serverConnection';
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
  confine: ConfineProgram;
}

/** Runs the sign-in flow, which loads on first use. */
const signIn: typeof SignIn.signIn = async (...asked) => {
  const flow = await import(/* webpackChunkName: "mcp" */ '../mcp/auth/signIn');
  return flow.signIn(...asked);
};

/** Creates the MCP servers of this window. In an untrusted workspace, there are none. */
export function createMcpServers({ settings, workspace, secrets, memento, logger, confine }: McpWindow): McpServers {
  const folder = () => workspace.folders()[0]?.path ?? null;
  const inputs = new ServerInputs(secrets, folder, askForInput);
  const signIns = new SignInStore(secrets);
  const approvals = workspaceApprovals(memento);
  return new McpServers({
    connect: loadAndConnect,
    clock: systemClock,
    logger,
    signIns,
    confine,
    mayStart: () => workspace.isTrusted(),
    read: async () => {
      const folders = trustedFolders(workspace).map(({ path }) => path);
      const own = readServers(workspace.isTrusted() ? settings.mcpServers : {}, 'settings');
      if (!workspace.isTrusted()) own.problems.push(t('MCP servers do not start until you trust this workspace.'));
      const read = mergedServers(own, await readWorkspaceServers(folders, approvals));
      inputs.known = read.inputs;
      return read;
    },
    disabledTools: () => settings.getAgentConfig().disabledTools,
    setDisabledTools: (names) => {
      const own = ownEntries('agent.disabledTools', names);
      const isInForce = () => settings.getAgentConfig().disabledTools.every((name) => names.includes(name));
      return saveForCommand('agent.disabledTools', own.length === 0 ? undefined : own, isInForce);
    },
    askToStart: askForServers,
    askToSignIn,
    signIn: (server, challenge, client) =>
      whileSigningIn(server, (person, signal) => signIn(challenge, client, person, signIns, signal)),
    forget: (ids, server) => inputs.forget(ids, server),
    setAnswer: ({ path, hash, environment }, isAllowed) => approvals.set(path, hash, isAllowed, environment),
    variables: {
      folder,
      home: homedir,
      env: (name) => process.env[name],
      input: (id, server) => inputs.value(id, server),
    },
  });
}
