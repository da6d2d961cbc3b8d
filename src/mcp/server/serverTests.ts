import { cleanLine } from '../tools/cleanText';
import { mcpTool } from '../tools/mcpTool';
import { toolNames } from '../tools/toolNaming';
import type { Tool } from '../../agent/tools/kernel/tool';
import type { ServerConfig } from '../config/serverConfig';
import { McpServer, type ServerSurroundings } from './mcpServer';

/** Result of a test. `stopped`: a person has ended it, or another test has. */
export interface TestedServer {
  outcome: 'running' | 'failed' | 'signIn' | 'stopped';
  tools: { tool: Tool; title: string; about: string }[];
  /** Reason of a failure, in words for a person. */
  problem: string | null;
  /** Text that the server wrote beside its answers, and what became of it. */
  log: string;
}

/** Starts servers for as long as it takes to read their tools, apart from those that the agent uses; one at a time. */
export class ServerTests {
  private current: McpServer | null = null;

  constructor(private readonly around: Omit<ServerSurroundings, 'onChange'>) {}

  /** Resolves when no process of the server is left. Never rejects for what the server does. */
  async run(config: ServerConfig): Promise<TestedServer> {
    const { connect, variables, clock, signIns } = this.around;
    const server = new McpServer(config, { connect, variables, clock, signIns, onChange: () => undefined });
    const former = this.current;
    this.current = server;
    await former?.stop();
    try {
      if (this.current === server) await server.start();
      return resultOf(server);
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

function resultOf(server: McpServer): TestedServer {
  const { state, problem, challenge, log } = server;
  const names = toolNames(server.tools.map(({ name }) => ({ server: server.name, tool: name })));
  const tools = server.tools.map((listed, index) => ({
    tool: mcpTool(server, listed, names[index] ?? ''),
    title: cleanLine(listed.name, 120),
    about: cleanLine(listed.description, 200),
  }));
  const outcome = challenge !== null ? 'signIn' : state === 'running' ? 'running' : state === 'failed' ? 'failed' : 'stopped';
  return { outcome, tools, problem, log: log.text };
}
