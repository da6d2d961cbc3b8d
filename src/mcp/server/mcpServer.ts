import { resolve as resolvePath } from 'node:path';
import type { Clock } from '../../utils/clock';
import { CancelledError, isCancelled, messageOf } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import { programFiles } from '../../services/terminal/judge/commandFiles';
import { resolved, type VariableSource } from '../config/variables';
import type { SignInChallenge, SignInStore } from '../auth/storedSignIn';
import type { HttpServer, ServerConfig } from '../config/serverConfig';
import { McpError, SignInNeededError } from '../mcpError';
import type {
  AnswerForm,
  CallOptions,
  CallResult,
  Connect,
  ListedPrompt,
  ListedTool,
  ServerConnection,
} from './serverConnection';
import { ServerLog } from './serverLog';
import { startProblem } from './startProblem';

export type ServerState = 'stopped' | 'starting' | 'running' | 'failed';

/** Milliseconds that a server may take to start: what `npx` fetches takes its time. */
const startMs = 60_000;
const maxTools = 128;

export interface ServerSurroundings {
  connect: Connect;
  variables: VariableSource;
  clock: Clock;
  /** Sign-ins of this machine; null where nobody can sign in. */
  signIns: SignInStore | null;
  /** Called when the state, the tools or the prompts of a server change. */
  onChange(): void;
}

/** Holds one server: begun when it is first needed, ended with the window, and what it was heard to say. */
export class McpServer {
  readonly log: ServerLog;
  /** Tools that it offers, as it last said; none while it does not run. */
  tools: readonly ListedTool[] = [];
  prompts: readonly ListedPrompt[] = [];
  /** Words for a person, of a server that has failed. */
  problem: string | null = null;
  /** Words of a refusal that a person can answer by signing in; null if there was none. */
  challenge: SignInChallenge | null = null;
  /** Origins beside its own that its sign-in asks; null if nobody has signed in, as far as is known. */
  signInOrigins: readonly string[] | null = null;
  /** Address and headers that it was last asked with, without variables. */
  reached: HttpServer | null = null;
  /** Version of the protocol, while it runs. */
  protocol: string | null = null;
  /** True if a person has stopped it: only a person starts it again. */
  isHeld = false;
  private current: ServerState = 'stopped';
  /** Last text that its program wrote beside its answers. */
  private printed = '';
  private connection: ServerConnection | null = null;
  private starting: Promise<void> | null = null;
  private ending = new AbortController();
  /** Answers forms for the calls that go on, the last one first. */
  private readonly answering: AnswerForm[] = [];
  /** It ran and is gone: the next one who needs it starts it again. */
  private hasCrashed = false;

  constructor(
    readonly config: ServerConfig,
    private readonly around: ServerSurroundings,
  ) {
    this.log = new ServerLog(around.clock);
  }

  get name(): string {
    return this.config.name;
  }

  get state(): ServerState {
    return this.current;
  }

  /** Lists the files of the workspace that its program is started from, absolute and free of symbolic links. */
  async files(): Promise<readonly string[]> {
    const { reach } = this.config;
    const folder = this.around.variables.folder();
    if (reach.kind === 'http' || folder === null) return [];
    const fill = (text: string): string => text.replaceAll('${workspaceFolder}', folder);
    const cwd = reach.cwd === null ? folder : resolvePath(folder, fill(reach.cwd));
    return programFiles([reach.command, ...reach.args].map(fill), cwd);
  }

  /** True if it may be started without a person: not one that a person has stopped, nor one that could not be started. */
  get isWanted(): boolean {
    return !this.isHeld && (this.current === 'stopped' || this.hasCrashed);
  }

  get pid(): number | null {
    return this.connection?.pid ?? null;
  }

  /** Never rejects: the state says how it went. */
  start(): Promise<void> {
    if (this.current === 'running') return Promise.resolve();
    this.starting ??= this.open().finally(() => (this.starting = null));
    return this.starting;
  }

  /** Resolves when no process of it is left. */
  async stop(): Promise<void> {
    this.ending.abort();
    const { connection } = this;
    this.connection = null;
    await this.starting;
    await connection?.close().catch(() => undefined);
    this.become('stopped');
  }

  /** Calls a tool. Rejects with a failure of the server, in words, or with `CancelledError`. */
  async call(name: string, input: Record<string, unknown>, { signal, answer }: CallOptions): Promise<CallResult> {
    if (this.current !== 'running' && this.isWanted) await this.start();
    const { connection } = this;
    if (connection === null)
      throw new McpError('ended', phrase('The server {0} does not run. {1}', this.name, this.problem ?? ''));
    this.answering.push(answer);
    try {
      return await connection.call(name, input, signal);
    } catch (error) {
      if (signal.aborted || isCancelled(error)) throw new CancelledError();
      if (error instanceof SignInNeededError) await this.lose(connection, error);
      const words = this.connection === connection ? messageOf(error) : (this.problem ?? messageOf(error));
      throw new McpError('call', phrase('The server {0} failed: {1}', this.name, words.slice(0, 2000)), { cause: error });
    } finally {
      this.answering.splice(this.answering.lastIndexOf(answer), 1);
    }
  }

  /** Ends a connection whose sign-in is over: the tools are there again after the next one. */
  private async lose(connection: ServerConnection, { challenge, userMessage }: SignInNeededError): Promise<void> {
    if (this.connection !== connection) return;
    this.connection = null;
    await connection.close().catch(() => undefined);
    this.challenge = challenge;
    this.fail(userMessage);
  }

  /** Resolves with the text of a prompt. */
  async prompt(name: string, values: Record<string, string>): Promise<string> {
    if (this.current !== 'running') await this.start();
    if (this.connection === null)
      throw new McpError('ended', phrase('The server {0} does not run. {1}', this.name, this.problem ?? ''));
    return this.connection.prompt(name, values);
  }

  private async open(): Promise<void> {
    this.hasCrashed = false;
    this.challenge = null;
    this.ending = new AbortController();
    const { signal } = this.ending;
    this.become('starting');
    const late = new AbortController();
    void this.around.clock.sleep(startMs, signal).then(
      () => late.abort(),
      () => undefined,
    );
    // An address is named as it was written down: a value in it may be a secret.
    let shown = this.config.reach;
    this.printed = '';
    try {
      const reach = await resolved(this.config, this.around.variables);
      if (reach.kind === 'http') this.reached = reach;
      else shown = reach;
      this.log.note('Starting');
      const opened = await this.around.connect(reach, this.hostOf(), AbortSignal.any([signal, late.signal]));
      if (signal.aborted) {
        await opened.close();
        return;
      }
      this.connection = opened;
      this.protocol = opened.protocol;
      await this.list(opened);
      if (this.connection !== opened) return;
      this.log.note(`Running, protocol ${opened.protocol}, ${this.tools.length} tools`);
      this.become('running');
    } catch (error) {
      const { connection } = this;
      this.connection = null;
      await connection?.close().catch(() => undefined);
      const problem = late.signal.aborted
        ? phrase('It did not answer within {0} s.', startMs / 1000).local
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
    this.tools = tools.slice(0, maxTools);
    if (tools.length > maxTools) this.log.note(`${tools.length} tools: only the first ${maxTools} are offered`);
    // Few have any, and those that have none need not answer.
    this.prompts = await connection.prompts().catch(() => []);
  }

  private hostOf() {
    const relist = (): void => {
      const { connection } = this;
      if (connection === null) return;
      this.list(connection).then(
        () => this.around.onChange(),
        (error: unknown) => this.log.note(`Its tools could not be read again: ${messageOf(error)}`),
      );
    };
    return {
      log: (text: string) => {
        this.log.add(text);
        // Remarks of the client are in brackets.
        if (!text.startsWith('[')) this.printed = text;
      },
      signIns: this.around.signIns,
      onSignedIn: (origins: readonly string[]) => (this.signInOrigins = origins),
      onToolsChanged: relist,
      onPromptsChanged: relist,
      onEnded: (code: number | null) => {
        this.connection = null;
        this.hasCrashed = true;
        const words = code === null ? phrase('It has ended.') : phrase('It has ended with code {0}.', String(code));
        this.fail(words.local);
      },
      answer: async (form: Parameters<AnswerForm>[0]) => (await this.answering.at(-1)?.(form)) ?? null,
    };
  }

  private fail(problem: string): void {
    this.log.note(problem);
    this.become('failed', problem);
  }

  private become(state: ServerState, problem: string | null = null): void {
    if (state !== 'running') {
      this.tools = [];
      this.prompts = [];
      this.protocol = null;
    }
    this.current = state;
    this.problem = problem;
    this.around.onChange();
  }
}
