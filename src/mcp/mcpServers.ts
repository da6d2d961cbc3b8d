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
import { McpServer, type ServerDeps } from './server/mcpServer';
import type { ListedPrompt, ListedTool } from './server/serverConnection';
import { assertStartAllowed } from './server/startRefusal';
import { ServerTests, type TestedServer } from './server/serverTests';
import { mcpTool } from './tools/mcpTool';
import { toolNames } from './tools/toolNaming';

/**
 * Maximum time that a run waits for servers to start, in milliseconds. Tools of slower
 * servers are available with the next message.
 */
const readyMs = 15_000;

export interface McpDeps extends Omit<ServerDeps, 'onChange'> {
  /** Returns true if the workspace is trusted. */
  mayStart(): boolean;
  read(): Promise<ReadServers>;
  /** Asks whether the servers of a workspace file are allowed to start. Resolves with undefined if the user makes no decision. */
  askToStart(file: WaitingFile): Promise<boolean | undefined>;
  disabledTools(): readonly string[];
  setDisabledTools(names: readonly string[]): Promise<void>;
  /** Deletes the stored values of inputs. */
  forget(ids: readonly string[], server: ServerConfig): Promise<void>;
  setAnswer(file: WaitingFile, isAllowed: boolean): Promise<void>;
  /** Asks whether the user wants to sign in now. */
  askToSignIn(server: string): Promise<boolean>;
  /** Signs the user in to a server. Rejects with the reason if this fails. */
  signIn(server: string, challenge: SignInChallenge, client: OAuthClient | null): Promise<void>;
  logger: Logger;
}

/** Tool of a running server, as the server lists it and as the agent receives it. */
interface OfferedTool {
  server: McpServer;
  listed: ListedTool;
  tool: Tool;
}

/** Manages the MCP servers of this window. Each server starts when it is first needed and ends with the window. */
export class McpServers implements ToolSource, Disposable {
  private all: McpServer[] = [];
  /** Localized messages about invalid servers. */
  problems: readonly string[] = [];
  /** Workspace files whose servers the user has not approved. */
  waiting: readonly WaitingFile[] = [];
  /** File contents that the user has been asked about in this window. */
  private readonly asked = new Set<string>();
  private readonly askedToSignIn = new Set<string>();
  private readonly changes: Emitter<void>;
  private reading: Promise<void> = Promise.resolve();
  private made: readonly OfferedTool[] | null = null;
  private isDisposed = false;
  private readonly tests: ServerTests;

  constructor(private readonly deps: McpDeps) {
    this.tests = new ServerTests(deps);
    this.changes = new Emitter((error) => deps.logger.error('A listener of the MCP servers failed', error));
  }

  /** Fires when servers, their states or their tools change. */
  get onDidChange() {
    return this.changes.event;
  }

  get servers(): readonly McpServer[] {
    return this.all;
  }

  get(name: string): McpServer | undefined {
    return this.all.find((server) => server.name === name);
  }

  /** Reads the configuration. Adds new servers and stops removed or changed ones. */
  refresh(): Promise<void> {
    this.reading = this.reading
      .then(() => this.read())
      .catch((error: unknown) => {
        this.deps.logger.error('The MCP servers could not be read', error);
      });
    return this.reading;
  }

  async ready(signal: AbortSignal): Promise<void> {
    await this.refresh();
    for (const file of this.waiting) void this.ask(file);
    await withTimeout(this.startWanted(), readyMs, this.deps.clock, signal);
  }

  tools(): readonly Tool[] {
    return this.offered().map(({ tool }) => tool);
  }

  /** Returns all tools of running servers, in a fixed order. */
  offered(): readonly OfferedTool[] {
    this.made ??= this.make();
    return this.made;
  }

  /** Returns the prompts of running servers with the names of their commands. */
  prompts(): { server: McpServer; prompt: ListedPrompt; command: string }[] {
    const all = this.all.toSorted(byName).flatMap((server) => server.prompts.map((prompt) => ({ server, prompt })));
    const names = toolNames(all.map(({ server, prompt }) => ({ server: server.name, tool: prompt.name })));
    return all.map((one, index) => ({ ...one, command: names[index] ?? '' }));
  }

  isOn(tool: string): boolean {
    return !this.deps.disabledTools().includes(tool);
  }

  /** Enables or disables a tool. */
  async setOn(tool: string, isOn: boolean): Promise<void> {
    const others = this.deps.disabledTools().filter((name) => name !== tool);
    await this.deps.setDisabledTools(isOn ? others : [...others, tool]);
    this.changes.fire();
  }

  /**
   * Stores the user's decision about the content that was read from a file. If the file
   * has changed since then, it needs approval again.
   */
  async allow(file: WaitingFile, isAllowed: boolean): Promise<void> {
    await this.deps.setAnswer(file, isAllowed);
    await this.refresh();
  }

  async start(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    server.isStoppedByUser = false;
    await server.start();
  }

  async stop(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    server.isStoppedByUser = true;
    await server.stop();
  }

  /**
   * If only local connections are allowed, stops running servers that violate this setting.
   * The next use of a stopped server reports the reason.
   */
  async stopRefused(): Promise<void> {
    const refused = this.all.filter(({ state, config, reached }) => {
      if (state === 'stopped' || state === 'failed') return false;
      try {
        assertStartAllowed(reached ?? config.reach);
        return false;
      } catch {
        return true;
      }
    });
    await Promise.all(refused.map((server) => server.stop()));
  }

  /**
   * Starts a server, reads its tools and stops it. The server does not have to be configured. Cancels
   * a test that is still running. Rejects in an untrusted workspace.
   */
  async test(config: ServerConfig): Promise<TestedServer> {
    if (!this.deps.mayStart()) throw new McpError('denied', phrase('MCP servers do not start until you trust this workspace.'));
    return this.tests.run(config);
  }

  stopTest(): Promise<void> {
    return this.tests.stop();
  }

  /** Lets the user sign in to a server, then restarts the server. Rejects with the reason if this fails. */
  async signIn(name: string): Promise<void> {
    const server = this.get(name);
    const challenge = server?.challenge ?? null;
    if (server === undefined || challenge === null) return;
    await this.deps.signIn(name, challenge, server.reached?.oauth ?? null);
    await this.restart(name);
  }

  /** Signs out of a server and stops it. */
  async signOut(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    await this.stop(name);
    if (server.reached !== null) await this.deps.signIns?.forget(server.reached.url);
    server.signInOrigins = null;
    this.changed();
  }

  /** Stops a server and deletes its input values, so that the user is asked again. */
  async forget(name: string): Promise<void> {
    const server = this.get(name);
    if (server === undefined) return;
    await server.stop();
    await this.deps.forget(listInputs(server.config), server.config);
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
    const { servers, problems, waiting } = await this.deps.read();
    if (this.isDisposed) return;
    const said = JSON.stringify([this.problems, this.waiting]);
    this.problems = problems;
    this.waiting = waiting;
    const known = new Map(this.all.map((server) => [createKey(server.config), server]));
    const next = servers.map((config) => known.get(createKey(config)) ?? this.create(config));
    const gone = this.all.filter((server) => !next.includes(server));
    const isSame = gone.length === 0 && next.length === this.all.length && said === JSON.stringify([problems, waiting]);
    this.all = next;
    await Promise.all(gone.map((server) => server.stop()));
    if (!isSame) this.changed();
  }

  /** Asks once for each version of a file. The run does not wait. The tools are available with the next message. */
  private async ask(file: WaitingFile): Promise<void> {
    const mark = `${file.path}\n${file.hash}`;
    if (file.isDeclined || this.asked.has(mark)) return;
    this.asked.add(mark);
    const isAllowed = await this.deps.askToStart(file);
    if (isAllowed === undefined || this.isDisposed) return;
    await this.allow(file, isAllowed);
    if (isAllowed) await this.startWanted();
  }

  private async startWanted(): Promise<void> {
    await Promise.all(
      this.all.filter((server) => server.mayAutoStart || server.state === 'starting').map((server) => server.start()),
    );
    for (const server of this.all) if (server.challenge !== null) void this.askToSignIn(server);
  }

  /** Asks once for each server and window. The run does not wait. The tools are available with the next message. */
  private async askToSignIn({ name }: McpServer): Promise<void> {
    if (this.askedToSignIn.has(name)) return;
    this.askedToSignIn.add(name);
    try {
      if (await this.deps.askToSignIn(name)) await this.signIn(name);
    } catch (error) {
      this.deps.logger.warn('Nobody signed in to an MCP server', error);
    }
  }

  private create(config: ServerConfig): McpServer {
    const { connect, variables, clock, signIns, confine } = this.deps;
    return new McpServer(config, { connect, variables, clock, signIns, confine, onChange: () => this.changed() });
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

/** Returns the IDs of the inputs in a configuration. */
function listInputs(config: ServerConfig): string[] {
  return [...JSON.stringify(config).matchAll(/\$\{input:([^}]*)\}/g)].map(([, id]) => id ?? '');
}

function createKey(config: ServerConfig): string {
  return JSON.stringify(config);
}
