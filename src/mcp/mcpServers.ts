import type { Tool } from '../agent/tools/kernel/tool';
import type { ToolSource } from '../agent/tools/kernel/toolRegistry';
import type { Disposable } from '../utils/disposable';
import { Emitter } from '../utils/emitter';
import type { Logger } from '../utils/logger';
import { phrase } from '../utils/l10n';
import { withTimeout } from '../utils/withTimeout';
import type { SignInChallenge } from './auth/storedSignIn';
import type { OAuthClient, ReadServers, ServerConfig, WaitingFile } from './config/serverConfig';
import { McpError } from './mcpError';
import { McpServer, type ServerSurroundings } from './server/mcpServer';
import type { ListedPrompt, ListedTool } from './server/serverConnection';
import { ServerTests, type TestedServer } from './server/serverTests';
import { mcpTool } from './tools/mcpTool';
import { toolNames } from './tools/toolNaming';

/** Milliseconds that a run waits for servers that start: the tools of a later one come with the next message. */
const readyMs = 15_000;

export interface McpSurroundings extends Omit<ServerSurroundings, 'onChange'> {
  /** True where the workspace is trusted. */
  mayStart(): boolean;
  /** Reads which servers there are to be now. */
  read(): Promise<ReadServers>;
  /** Asks whether the servers of a file of the workspace may start; undefined if nobody answers. */
  ask(file: WaitingFile): Promise<boolean | undefined>;
  /** Names of tools that the model is not told of. */
  off(): readonly string[];
  setOff(names: readonly string[]): Promise<void>;
  /** Forgets the values of inputs. */
  forget(ids: readonly string[], server: ServerConfig): Promise<void>;
  answered(file: WaitingFile, isAllowed: boolean): Promise<void>;
  /** Asks whether a person wants to sign in to a server now. */
  askToSignIn(server: string): Promise<boolean>;
  /** Signs a person in to a server. Rejects with why they are not. */
  signIn(server: string, challenge: SignInChallenge, client: OAuthClient | null): Promise<void>;
  logger: Logger;
}

/** Tool of a server that runs, as the server and as the agent know it. */
interface OfferedTool {
  server: McpServer;
  listed: ListedTool;
  tool: Tool;
}

/** Holds the servers of this window. None is started before it is needed; all of them end with it. */
export class McpServers implements ToolSource, Disposable {
  private all: McpServer[] = [];
  /** Words for a person about servers that were left out. */
  problems: readonly string[] = [];
  /** Files of the workspace whose servers a person has not allowed. */
  waiting: readonly WaitingFile[] = [];
  /** Contents that a person was asked about in this window. */
  private readonly asked = new Set<string>();
  /** Names of servers that a person was asked to sign in to. */
  private readonly askedToSignIn = new Set<string>();
  private readonly changes: Emitter<void>;
  private reading: Promise<void> = Promise.resolve();
  private made: readonly OfferedTool[] | null = null;
  private isDisposed = false;
  private readonly tests: ServerTests;

  constructor(private readonly around: McpSurroundings) {
    this.tests = new ServerTests(around);
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
    for (const file of this.waiting) void this.ask(file);
    await withTimeout(this.startWanted(), readyMs, this.around.clock, signal);
  }

  tools(): readonly Tool[] {
    return this.offered().map(({ tool }) => tool);
  }

  /** Returns every tool of every running server, in a fixed order. */
  offered(): readonly OfferedTool[] {
    this.made ??= this.make();
    return this.made;
  }

  /** Returns the prompts of the servers that run, each with the name that a person calls it by. */
  prompts(): { server: McpServer; prompt: ListedPrompt; command: string }[] {
    const all = this.all.toSorted(byName).flatMap((server) => server.prompts.map((prompt) => ({ server, prompt })));
    const names = toolNames(all.map(({ server, prompt }) => ({ server: server.name, tool: prompt.name })));
    return all.map((one, index) => ({ ...one, command: names[index] ?? '' }));
  }

  isOn(tool: string): boolean {
    return !this.around.off().includes(tool);
  }

  /** Tells the model of a tool from now on, or no longer. */
  async setOn(tool: string, isOn: boolean): Promise<void> {
    const others = this.around.off().filter((name) => name !== tool);
    await this.around.setOff(isOn ? others : [...others, tool]);
    this.changes.fire();
  }

  /** Answers for the servers of a file as it was when it was read: one that has changed since waits again. */
  async allow(file: WaitingFile, isAllowed: boolean): Promise<void> {
    await this.around.answered(file, isAllowed);
    await this.refresh();
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

  /** Starts a server that need not be written down, reads its tools, and ends it; another test ends. Rejects where nothing may start. */
  async test(config: ServerConfig): Promise<TestedServer> {
    if (!this.around.mayStart())
      throw new McpError('denied', phrase('MCP servers do not start before you trust this workspace.'));
    return this.tests.run(config);
  }

  stopTest(): Promise<void> {
    return this.tests.stop();
  }

  /** Has a person sign in to a server, and starts it. Rejects with why they are not signed in. */
  async signIn(name: string): Promise<void> {
    const server = this.get(name);
    const challenge = server?.challenge ?? null;
    if (server === undefined || challenge === null) return;
    await this.around.signIn(name, challenge, server.reached?.oauth ?? null);
    await this.restart(name);
  }

  /** Forgets the sign-in to a server, which ends. */
  async signOut(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    await this.stop(name);
    if (server.reached !== null) await this.around.signIns?.forget(server.reached.url);
    server.signInOrigins = null;
    this.changed();
  }

  /** Has a server ask again for what it was given for its inputs. */
  async forget(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    await server.stop();
    await this.around.forget(inputsOf(server.config), server.config);
  }

  async restart(name: string): Promise<void> {
    await this.stop(name);
    await this.start(name);
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    const ending = this.all;
    this.all = [];
    await Promise.all([this.tests.stop(), ...ending.map((server) => server.stop())]);
    this.changes.dispose();
  }

  private async read(): Promise<void> {
    const { servers, problems, waiting } = await this.around.read();
    if (this.isDisposed) return;
    const said = JSON.stringify([this.problems, this.waiting]);
    this.problems = problems;
    this.waiting = waiting;
    const known = new Map(this.all.map((server) => [keyOf(server.config), server]));
    const next = servers.map((config) => known.get(keyOf(config)) ?? this.create(config));
    const gone = this.all.filter((server) => !next.includes(server));
    const isSame = gone.length === 0 && next.length === this.all.length && said === JSON.stringify([problems, waiting]);
    this.all = next;
    await Promise.all(gone.map((server) => server.stop()));
    if (!isSame) this.changed();
  }

  /** Once for a content, while the run goes on: its servers are there with the next message. */
  private async ask(file: WaitingFile): Promise<void> {
    const mark = `${file.path}\n${file.hash}`;
    if (file.isDeclined || this.asked.has(mark)) return;
    this.asked.add(mark);
    const isAllowed = await this.around.ask(file);
    if (isAllowed === undefined || this.isDisposed) return;
    await this.allow(file, isAllowed);
    if (isAllowed) await this.startWanted();
  }

  private async startWanted(): Promise<void> {
    await Promise.all(
      this.all.filter((server) => server.isWanted || server.state === 'starting').map((server) => server.start()),
    );
    for (const server of this.all) if (server.challenge !== null) void this.askToSignIn(server);
  }

  /** Once in a window for each server, while the run goes on: its tools are there with the next message. */
  private async askToSignIn({ name }: McpServer): Promise<void> {
    if (this.askedToSignIn.has(name)) return;
    this.askedToSignIn.add(name);
    try {
      if (await this.around.askToSignIn(name)) await this.signIn(name);
    } catch (error) {
      this.around.logger.warn('Nobody signed in to an MCP server', error);
    }
  }

  private create(config: ServerConfig): McpServer {
    const { connect, variables, clock, signIns } = this.around;
    return new McpServer(config, { ...{ connect, variables, clock, signIns }, onChange: () => this.changed() });
  }

  private changed(): void {
    this.made = null;
    this.changes.fire();
  }

  private make(): OfferedTool[] {
    const listed = this.all
      .toSorted(byName)
      .flatMap((server) => server.tools.toSorted(byName).map((tool) => ({ server, listed: tool })));
    const names = toolNames(listed.map(({ server, listed: tool }) => ({ server: server.name, tool: tool.name })));
    return listed.map(({ server, listed: tool }, index) => ({
      server,
      listed: tool,
      tool: mcpTool(server, tool, names[index] ?? ''),
    }));
  }
}

const byName = (left: { name: string }, right: { name: string }) =>
  left.name < right.name ? -1 : left.name > right.name ? 1 : 0;

/** Returns the ids of the inputs that a configuration names. */
function inputsOf(config: ServerConfig): string[] {
  return [...JSON.stringify(config).matchAll(/\$\{input:([^}]*)\}/g)].map(([, id]) => id ?? '');
}

function keyOf(config: ServerConfig): string {
  return JSON.stringify(config);
}
