import { cleanLine } from '../tools/cleanText';
import { mcpTool } from '../tools/mcpTool';
import { toolNames } from '../tools/toolNaming';
import type { Tool } from '../../agent/tools/kernel/tool';
import type { ServerConfig } from '../config/serverConfig';
import { McpServer, type ServerDeps } from './mcpServer';

/** Result of a test. `stopped`: ended by the user or by another test. */
export interface TestedServer {
  outcome: 'running' | 'failed' | 'signIn' | 'stopped';
  tools: { tool: Tool; title: string; about: string }[];
  /** Localized reason of a failure. */
  problem: string | null;
  /** Localized problems of a running server. */
  warnings: readonly string[];
  log: string;
}

/** Starts servers only to read their tools. They are separate from the servers of the agent. Only one test runs at a time. */
export class ServerTests {
  private current: McpServer | null = null;

  constructor(private readonly deps: Omit<ServerDeps, 'onChange'>) {}

  /** Runs a test. Resolves when all processes of the server have ended. Never rejects because of the server. */
  async run(config: ServerConfig): Promise<TestedServer> {
    const { connect, variables, clock, signIns, confine } = this.deps;
    const server = new McpServer(config, { connect, variables, clock, signIns, confine, onChange: () => undefined });
    const former = this.current;
    this.current = server;
    await former?.stop();
    try {
      if (this.current === server) await server.start();
      return toTestedServer(server);
    } finally {
      await server.stop();
      if (this.current === server) this.current = null;
    }
  }

  async stop(): Promise<void> {
    const { current } = this;
    this.current = null;
    await current?.stop();
  }
}

function toTestedServer(server: McpServer): TestedServer {
  const { state, problem, warnings, challenge, log } = server;
  const names = toolNames(server.tools.map(({ name }) => ({ server: server.name, tool: name })));
  const tools = server.tools.map((listed, index) => ({
    tool: mcpTool(server, listed, names[index] ?? ''),
    title: cleanLine(listed.name, 120),
    about: cleanLine(listed.description, 200),
  }));
  const outcome = challenge !== null ? 'signIn' : state === 'running' ? 'running' : state === 'failed' ? 'failed' : 'stopped';
  return { outcome, tools, problem, warnings, log: log.text };
}
