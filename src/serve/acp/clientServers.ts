import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import type { McpServer as GivenServer } from '@agentclientprotocol/sdk';
import { definitionParts } from '../../mcp/config/definition';
import type { ServerConfig } from '../../mcp/config/serverConfig';
import { McpServers } from '../../mcp/mcpServers';
import { loadAndConnect } from '../../mcp/server/loadedConnect';
import { mcpServerName } from '../../protocol/forms/mcpServerForm';
import { visibleLine } from '../../protocol/text/visibleText';
import { systemClock } from '../../utils/clock';
import { CancelledError } from '../../utils/errors';
import type { Logger } from '../../utils/logger';

/** Decisions of the user by the hash of the definitions. They are valid while the agent is running. */
export type ClientServerAnswers = Map<string, boolean>;

/** MCP servers that a client passes with a session. No server starts before the user has approved exactly these definitions. */
export class ClientServers {
  readonly tools: McpServers;
  private readonly configs: ServerConfig[] = [];
  /** Reasons why servers are not available. */
  private readonly problems: string[] = [];
  private readonly hash: string;

  constructor(
    given: readonly GivenServer[],
    folder: string,
    private readonly answers: ClientServerAnswers,
    logger: Logger,
  ) {
    for (const server of given) this.add(server);
    this.hash = createHash('sha256')
      .update(JSON.stringify([folder, this.configs]))
      .digest('hex');
    const nothing = () => Promise.resolve();
    this.tools = new McpServers({
      connect: loadAndConnect,
      clock: systemClock,
      logger,
      signIns: null,
      mayStart: () => true,
      read: () => {
        const servers = this.answers.get(this.hash) === true ? this.configs : [];
        return Promise.resolve({ servers, inputs: [], problems: [], waiting: [] });
      },
      askToStart: () => Promise.resolve(undefined),
      // The registry omits disabled tools.
      disabledTools: () => [],
      setDisabledTools: nothing,
      forget: nothing,
      setAnswer: nothing,
      signIn: nothing,
      askToSignIn: () => Promise.resolve(false),
      // The protocol has no field for the sandbox.
      confine: () => Promise.reject(new CancelledError()),
      variables: { folder: () => folder, home: homedir, env: (name) => process.env[name], input: () => Promise.resolve(null) },
    });
  }

  /** True if there are servers that the user has not decided about. */
  get isWaiting(): boolean {
    return this.configs.length > 0 && !this.answers.has(this.hash);
  }

  get names(): string {
    return this.configs.map(({ name }) => visibleLine(name)).join(', ');
  }

  /** Returns the complete definitions of the servers to start, and the servers that are not available. */
  get definitions(): string {
    const sections = this.configs.map(({ name, reach }) => [
      visibleLine(name),
      // Mark continuation lines, so that they cannot look like another part.
      ...definitionParts({ reach, folder: null }).map(({ label, value }) => `  ${label}: ${value.replaceAll('\n', '\n    ⏎ ')}`),
    ]);
    const left = this.problems.length === 0 ? [] : [['Left out:', ...this.problems.map((problem) => `  ${problem}`)]];
    return [...sections, ...left].map((lines) => lines.join('\n')).join('\n\n');
  }

  answer(isAllowed: boolean): void {
    this.answers.set(this.hash, isAllowed);
  }

  /** Starts the servers. Resolves with one line for each server, within the time that a run waits for servers. */
  async start(signal: AbortSignal): Promise<{ areRunning: boolean; report: string }> {
    await this.tools.ready(signal);
    const lines = this.tools.servers.map(({ name, state, problem, tools }) => {
      const words = state === 'running' ? (tools.length === 1 ? '1 tool' : `${tools.length} tools`) : (problem ?? state);
      return `${visibleLine(name)}: ${visibleLine(words)}`;
    });
    return { areRunning: this.tools.servers.every(({ state }) => state === 'running'), report: lines.join('\n') };
  }

  private add(given: GivenServer): void {
    const server = readConfig(given);
    const isTaken = this.configs.some(({ name }) => name === given.name);
    const problem = typeof server === 'string' ? server : isTaken ? 'another server has this name' : null;
    if (typeof server !== 'string' && problem === null) this.configs.push(server);
    else this.problems.push(`${visibleLine(given.name)}: ${problem ?? ''}`);
  }
}

/** Returns the configuration of a server, or the reason why it is invalid. */
function readConfig(given: GivenServer): ServerConfig | string {
  const { name } = given;
  if (!mcpServerName.test(name)) return 'this name is not valid for a server';
  // The user approves the exact definition, as for a server from a workspace.
  const common = { name, origin: 'workspace', isLiteral: true } as const;
  if ('command' in given) {
    const { command, args, env } = given;
    // A relative path would depend on files in the workspace.
    if (!path.isAbsolute(command) && /[\\/]/.test(command)) return `${visibleLine(command)} is not an absolute path`;
    return { ...common, reach: { kind: 'stdio', command, args, env: toRecord(env), cwd: null } };
  }
  if (given.type !== 'http') return `the transport ${visibleLine(given.type)} is not supported`;
  if (!/^https?:\/\//i.test(given.url)) return 'its address does not start with http:// or https://';
  return { ...common, reach: { kind: 'http', url: given.url, headers: toRecord(given.headers) } };
}

function toRecord(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
