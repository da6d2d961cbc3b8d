import { resolve as resolvePath } from 'node:path';
import type { Clock } from '../../utils/clock';
import { CancelledError, isCancelled, messageOf } from '../../utils/errors';
import { phrase, t } from '../../utils/l10n';
import { programFiles } from '../../services/terminal/judge/commandFiles';
import { resolved, type VariableSource } from '../config/variables';
import type { SignInChallenge, SignInStore } from '../auth/storedSignIn';
import type { HttpServer, ServerConfig } from '../config/serverConfig';
import { McpError, SignInNeededError } from '../mcpError';
import type {
  AnswerForm,
  CallOptions,
  CallResult,
  ConfineProgram,
  Connect,
  ListedPrompt,
  ListedTool,
  ServerConnection,
} from './serverConnection';
import { ListRefresh } from './listRefresh';
import { noLists, offeredLists } from './offeredLists';
import { ServerLog } from './serverLog';
import { nothingPrinted, startProblem } from './startProblem';
import { cutHead } from '../../types/cutText';

export type ServerState = 'stopped' | 'starting' | 'running' | 'failed';

/** Maximum time for the start of a server, in milliseconds. `npx` may download packages. */
const startMs = 60_000;

export interface ServerDeps {
  connect: Connect;
  variables: VariableSource;
  clock: Clock;
  /** Prepares programs that run in the sandbox. */
  confine: ConfineProgram;
  /** Stored sign-ins. Null if sign-in is not supported. */
  signIns: SignInStore | null;
  /** Called when the state, the tools or the prompts of a server change. */
  onChange(): void;
}

/** Controls one server. The server starts when it is first needed and ends with the window. */
export class McpServer {
  readonly log: ServerLog;
  /** Localized reason of a failure. */
  problem: string | null = null;
  /** Rejected request that signing in can resolve. Null if there is none. */
  challenge: SignInChallenge | null = null;
  /** Origins that the sign-in contacts in addition to the server's origin. Null if the user is not known to be signed in. */
  signInOrigins: readonly string[] | null = null;
  /** Address and headers of the last request, with variables replaced. */
  reached: HttpServer | null = null;
  /** Protocol version while the server is running. */
  protocol: string | null = null;
  /** True if the user stopped the server. Only the user can start it again. */
  isStoppedByUser = false;
  private current: ServerState = 'stopped';
  /** Tools and prompts offered from the last lists. Empty while the server is not running. */
  private lists = noLists;
  private refresh: ListRefresh | null = null;
  private printed = nothingPrinted;
  private connection: ServerConnection | null = null;
  private starting: Promise<void> | null = null;
  private ending = new AbortController();
  /** Form handlers of the calls in progress, oldest first. */
  private readonly answering: AnswerForm[] = [];
  /** True if the server has ended unexpectedly. The next use starts it again. */
  private hasCrashed = false;

  constructor(
    readonly config: ServerConfig,
    private readonly deps: ServerDeps,
  ) {
    this.log = new ServerLog(deps.clock);
  }

  get name(): string {
    return this.config.name;
  }

  /** Tools from the last list. Empty while the server is not running. */
  get tools(): readonly ListedTool[] {
    return this.lists.tools;
  }

  get prompts(): readonly ListedPrompt[] {
    return this.lists.prompts;
  }

  /** Localized problems of a running server. */
  get warnings(): readonly string[] {
    if (this.current !== 'running' || this.refresh?.isLimited !== true) return this.lists.warnings;
    return [...this.lists.warnings, tooManyChanges()];
  }

  get state(): ServerState {
    return this.current;
  }

  /** Returns the workspace files that the server's program runs, as absolute real paths. */
  async files(): Promise<readonly string[]> {
    const { reach } = this.config;
    const folder = this.deps.variables.folder();
    if (reach.kind === 'http' || folder === null) return [];
    const fill = (text: string): string => text.replaceAll('${workspaceFolder}', folder);
    const cwd = reach.cwd === null ? folder : resolvePath(folder, fill(reach.cwd));
    return programFiles([reach.command, ...reach.args].map(fill), cwd);
  }

  /** True if the server is allowed to start automatically: the user has not stopped it, and its last start did not fail. */
  get mayAutoStart(): boolean {
    return !this.isStoppedByUser && (this.current === 'stopped' || this.hasCrashed);
  }

  get pid(): number | null {
    return this.connection?.pid ?? null;
  }

  /** Starts the server. Never rejects, because `state` contains the result. */
  start(): Promise<void> {
    if (this.current === 'running') return Promise.resolve();
    this.starting ??= this.open().finally(() => (this.starting = null));
    return this.starting;
  }

  /** Stops the server. Resolves when all its processes have ended. */
  async stop(): Promise<void> {
    this.ending.abort();
    const { connection } = this;
    this.connection = null;
    // Ends a start that waits for the lists.
    await connection?.close().catch(() => undefined);
    await this.starting;
    this.setState('stopped');
  }

  /** Calls a tool. Rejects with a localized error of the server, or with `CancelledError`. */
  async call(name: string, input: Record<string, unknown>, { signal, answer }: CallOptions): Promise<CallResult> {
    if (this.current !== 'running' && this.mayAutoStart) await this.start();
    const { connection } = this;
    if (connection === null)
      throw new McpError('ended', phrase('The server {0} is not running. {1}', this.name, this.problem ?? ''));
    this.answering.push(answer);
    try {
      return await connection.call(name, input, signal);
    } catch (error) {
      if (signal.aborted || isCancelled(error)) throw new CancelledError();
      if (error instanceof SignInNeededError) await this.closeSignedOut(connection, error);
      const words = this.connection === connection ? messageOf(error) : (this.problem ?? messageOf(error));
      throw new McpError('call', phrase('The server {0} failed: {1}', this.name, cutHead(words, 2000)), { cause: error });
    } finally {
      this.answering.splice(this.answering.lastIndexOf(answer), 1);
    }
  }

  /** Closes a connection whose sign-in has expired. Its tools are available again after the next sign-in. */
  private async closeSignedOut(connection: ServerConnection, { challenge, userMessage }: SignInNeededError): Promise<void> {
    if (this.connection !== connection) return;
    this.connection = null;
    await connection.close().catch(() => undefined);
    this.challenge = challenge;
    this.fail(userMessage);
  }

  async prompt(name: string, values: Record<string, string>): Promise<string> {
    if (this.current !== 'running') await this.start();
    if (this.connection === null)
      throw new McpError('ended', phrase('The server {0} is not running. {1}', this.name, this.problem ?? ''));
    return this.connection.prompt(name, values);
  }

  private async open(): Promise<void> {
    this.hasCrashed = false;
    this.challenge = null;
    this.ending = new AbortController();
    const { signal } = this.ending;
    this.setState('starting');
    const late = new AbortController();
    void this.deps.clock.sleep(startMs, signal).then(
      () => late.abort(),
      () => undefined,
    );
    // Messages show the address as configured, because its variables can contain secrets.
    let shown = this.config.reach;
    this.printed = nothingPrinted;
    const refresh = new ListRefresh({
      clock: this.deps.clock,
      signal,
      read: () => this.listAgain(),
      onLimited: () => this.showLimit(),
    });
    this.refresh = refresh;
    try {
      const reach = await resolved(this.config, this.deps.variables);
      if (reach.kind === 'http') this.reached = reach;
      else shown = reach;
      this.log.note('Starting');
      const opened = await this.deps.connect(reach, this.createHost(refresh), AbortSignal.any([signal, late.signal]));
      if (signal.aborted) {
        await opened.close();
        return;
      }
      this.connection = opened;
      this.protocol = opened.protocol;
      await this.list(opened);
      if (this.connection !== opened) return;
      this.log.note(`Running, protocol ${opened.protocol}, ${this.tools.length} tools`);
      this.setState('running');
    } catch (error) {
      const { connection } = this;
      this.connection = null;
      await connection?.close().catch(() => undefined);
      const problem = late.signal.aborted
        ? phrase('The server did not respond within {0} s.', startMs / 1000).local
        : await startProblem(error, shown, this.printed);
      if (signal.aborted) return;
      if (error instanceof SignInNeededError) {
        this.challenge = error.challenge;
        this.signInOrigins = null;
      }
      this.fail(problem);
    }
  }

  private async list(connection: ServerConnection): Promise<void> {
    const tools = await connection.tools();
    // Prompts are optional, and servers without prompts may not respond.
    const prompts = await connection.prompts().catch(() => ({ entries: [], incomplete: null }));
    if (this.connection !== connection) return;
    this.lists = offeredLists(tools, prompts);
    for (const warning of this.lists.warnings) this.log.note(warning);
  }

  private async listAgain(): Promise<void> {
    await this.starting;
    const { connection } = this;
    if (connection === null) return;
    try {
      await this.list(connection);
      this.deps.onChange();
    } catch (error) {
      this.log.note(`Its tools could not be read again: ${messageOf(error)}`);
    }
  }

  private showLimit(): void {
    if (this.refresh?.isLimited === true) this.log.note(tooManyChanges());
    this.deps.onChange();
  }

  private createHost(refresh: ListRefresh) {
    return {
      log: (text: string) => {
        this.log.add(text);
        // Notes of the client are in brackets.
        if (!text.startsWith('[')) this.printed = { ...this.printed, lastError: text };
      },
      onStray: (line: string) => {
        this.log.add(`[stdout] ${line}`);
        // A line with only brackets is the start of a JSON text with several lines.
        if (this.printed.first === '' && /[\p{L}\p{N}]/u.test(line)) this.printed = { ...this.printed, first: line };
      },
      signIns: this.deps.signIns,
      confine: this.deps.confine,
      onSignedIn: (origins: readonly string[]) => (this.signInOrigins = origins),
      onToolsChanged: () => refresh.request(),
      onPromptsChanged: () => refresh.request(),
      onEnded: (code: number | null) => {
        this.connection = null;
        this.hasCrashed = true;
        const words = code === null ? phrase('The server exited.') : phrase('The server exited with code {0}.', String(code));
        this.fail(words.local);
      },
      answer: async (form: Parameters<AnswerForm>[0]) => (await this.answering.at(-1)?.(form)) ?? null,
    };
  }

  private fail(problem: string): void {
    this.log.note(problem);
    this.setState('failed', problem);
  }

  private setState(state: ServerState, problem: string | null = null): void {
    if (state !== 'running') {
      this.lists = noLists;
      this.protocol = null;
    }
    this.current = state;
    this.problem = problem;
    this.deps.onChange();
  }
}

function tooManyChanges(): string {
  return t(
    'The server constantly reports changes to its tools or prompts, so its lists are read only once a minute. Report this to its author.',
  );
}
