import type { Tool } from '../agent/tools/kernel/tool';
import type { ToolSource } from '../agent/tools/kernel/toolRegistry';
import type { Disposable } from '../utils/disposable';
import { Emitter } from '../utils/emitter';
import type { Logger } from '../utils/logger';
import { withTimeout } from '../utils/withTimeout';
import type { ReadServers, ServerConfig } from './config/serverConfig';
import { McpServer, type ServerSurroundings } from './server/mcpServer';
import { mcpTool } from './tools/mcpTool';
import { toolNames } from './tools/toolNaming';

/** Milliseconds that a run waits for servers that start: the tools of a later one come with the next message. */
const readyMs = 15_000;

export interface McpSurroundings extends Omit<ServerSurroundings, 'onChange'> {
  /** Reads which servers there are to be now. */
  read(): Promise<ReadServers>;
  logger: Logger;
}

/** Holds the servers of this window. None is started before it is needed; all of them end with it. */
export class McpServers implements ToolSource, Disposable {
  private all: McpServer[] = [];
  /** Words for a person about servers that were left out. */
  problems: readonly string[] = [];
  private readonly changes: Emitter<void>;
  private reading: Promise<void> = Promise.resolve();
  private made: readonly { server: McpServer; tool: Tool }[] | null = null;
  private isDisposed = false;

  constructor(private readonly around: McpSurroundings) {
    this.changes = new Emitter((error) => around.logger.error('A listener of the MCP servers failed', error));
  }

  /** Fires when servers, their states or their tools have changed. */
  get onDidChange() {
    return this.changes.event;
  }

  get servers(): readonly McpServer[] {
    return this.all;
  }

  get(name: string): McpServer | undefined {
    return this.all.find((server) => server.name === name);
  }

  /** Reads the configuration: what is new is there, what is gone or different has ended. */
  refresh(): Promise<void> {
    this.reading = this.reading
      .then(() => this.read())
      .catch((error: unknown) => {
        this.around.logger.error('The MCP servers could not be read', error);
      });
    return this.reading;
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.refresh();
    const starting = this.all.filter((server) => server.isWanted || server.state === 'starting').map((server) => server.start());
    await withTimeout(Promise.all(starting), readyMs, this.around.clock, signal);
  }

  tools(): readonly Tool[] {
    return this.offered().map(({ tool }) => tool);
  }

  /** Returns every tool of every running server, in a fixed order. */
  offered(): readonly { server: McpServer; tool: Tool }[] {
    this.made ??= this.make();
    return this.made;
  }

  async start(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    server.isHeld = false;
    await server.start();
  }

  async stop(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    server.isHeld = true;
    await server.stop();
  }

  async restart(name: string): Promise<void> {
    await this.stop(name);
    await this.start(name);
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    const ending = this.all;
    this.all = [];
    await Promise.all(ending.map((server) => server.stop()));
    this.changes.dispose();
  }

  private async read(): Promise<void> {
    const { servers, problems } = await this.around.read();
    if (this.isDisposed) return;
    this.problems = problems;
    const known = new Map(this.all.map((server) => [keyOf(server.config), server]));
    const next = servers.map((config) => known.get(keyOf(config)) ?? this.create(config));
    const gone = this.all.filter((server) => !next.includes(server));
    const isSame = gone.length === 0 && next.length === this.all.length;
    this.all = next;
    await Promise.all(gone.map((server) => server.stop()));
    if (!isSame) this.changed();
  }

  private create(config: ServerConfig): McpServer {
    const { connect, variables, clock } = this.around;
    return new McpServer(config, { connect, variables, clock, onChange: () => this.changed() });
  }

  private changed(): void {
    this.made = null;
    this.changes.fire();
  }

  private make(): { server: McpServer; tool: Tool }[] {
    const byName = (left: { name: string }, right: { name: string }) =>
      left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
    const listed = this.all
      .toSorted(byName)
      .flatMap((server) => server.tools.toSorted(byName).map((tool) => ({ server, listed: tool })));
    const names = toolNames(listed.map(({ server, listed: tool }) => ({ server: server.name, tool: tool.name })));
    return listed.map(({ server, listed: tool }, index) => ({ server, tool: mcpTool(server, tool, names[index] ?? '') }));
  }
}

function keyOf(config: ServerConfig): string {
  return JSON.stringify(config);
}
