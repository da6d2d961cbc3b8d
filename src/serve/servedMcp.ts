import { homedir } from 'node:os';
import type { Settings } from '../config/settings';
import { readServers } from '../mcp/config/serverConfig';
import { fileText } from '../mcp/config/fileQuestion';
import { ServerInputs } from '../mcp/config/serverInputs';
import { mergedServers, readWorkspaceServers, type FileAnswer, type FileApprovals } from '../mcp/config/workspaceFiles';
import { McpServers } from '../mcp/mcpServers';
import { loadAndConnect } from '../mcp/server/loadedConnect';
import type { ConfineProgram } from '../mcp/server/serverConnection';
import { visibleLine } from '../protocol/text/visibleText';
import { systemClock } from '../utils/clock';
import { CancelledError } from '../utils/errors';
import type { Logger } from '../utils/logger';
import type { AskedQuestion } from './questions/askedQuestion';

export interface McpVoice {
  note(text: string): void;
  /** Asks the user a yes/no question. Null without a user. */
  askYesNo: ((question: AskedQuestion) => Promise<boolean>) | null;
  askForWords: ((question: AskedQuestion) => Promise<string>) | null;
}

interface McpSurroundings {
  settings: Settings;
  folders: readonly { path: string }[];
  environment: NodeJS.ProcessEnv;
  logger: Logger;
  confine: ConfineProgram;
}

/**
 * Creates the MCP servers from the settings. Servers from the folders are added after approval on the terminal. Decisions
 * and input values are kept until the process exits. Signing in requires an editor.
 */
export function servedMcp({ settings, folders, environment, logger, confine }: McpSurroundings, voice: McpVoice): McpServers {
  const paths = folders.map(({ path }) => path);
  const folder = () => paths[0] ?? null;
  const secrets = new Map<string, string>();
  const store = {
    get: (key: string) => Promise.resolve(secrets.get(key)),
    store: (key: string, value: string) => Promise.resolve(void secrets.set(key, value)),
    delete: (key: string) => Promise.resolve(void secrets.delete(key)),
  };
  const inputs = new ServerInputs(store, folder, async ({ server, input }) => {
    const facts = [
      { label: 'Server', text: server.name },
      { label: 'Value', text: input.description },
    ];
    const given = await voice.askForWords?.({ title: 'An MCP server needs a value. It is visible as you type.', facts });
    return given === '' ? undefined : given;
  });
  const approvals = answersOfThisProcess();
  const servers = new McpServers({
    connect: loadAndConnect,
    clock: systemClock,
    logger,
    signIns: null,
    confine,
    mayStart: () => true,
    read: async () => {
      const own = readServers(settings.mcpServers, 'settings');
      const read = mergedServers(own, await readWorkspaceServers(paths, approvals));
      inputs.known = read.inputs;
      return read;
    },
    disabledTools: () => settings.getAgentConfig().disabledTools,
    setDisabledTools: () => Promise.reject(new CancelledError()),
    askToStart: async (file) => {
      if (voice.askYesNo === null) {
        const names = file.servers.map(({ name }) => visibleLine(name)).join(', ');
        voice.note(`MCP servers not started, because there is no terminal to ask on: ${names} (${visibleLine(file.path)})`);
        return false;
      }
      const facts = [
        { label: 'Risk', text: 'These programs run with your rights. Servers at an address receive data.' },
        { label: 'Servers', text: fileText(file), isMultiline: true },
      ];
      return voice.askYesNo({ title: 'Start the MCP servers of this file?', facts });
    },
    askToSignIn: () => Promise.resolve(false),
    signIn: () => Promise.reject(new CancelledError()),
    forget: (ids, server) => inputs.forget(ids, server),
    setAnswer: ({ path, hash, environment: names }, isAllowed) => approvals.set(path, hash, isAllowed, names),
    variables: { folder, home: homedir, env: (name) => environment[name], input: (id, server) => inputs.value(id, server) },
  });
  reportProblems(servers, voice);
  return servers;
}

function answersOfThisProcess(): FileApprovals {
  const answers = new Map<string, FileAnswer>();
  return {
    get: (file) => answers.get(file),
    set: (file, hash, isAllowed, environment) => Promise.resolve(void answers.set(file, { hash, isAllowed, environment })),
  };
}

/** Reports each problem once. The run continues without the server. */
function reportProblems(servers: McpServers, voice: Pick<McpVoice, 'note'>): void {
  const reported = new Set<string>();
  servers.onDidChange(() => {
    const failed = servers.servers.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`]));
    for (const text of [...servers.problems, ...failed]) {
      if (reported.has(text)) continue;
      reported.add(text);
      voice.note(`MCP server ${visibleLine(text)}`);
    }
  });
}
