import {
  RequestError,
  type AgentContext,
  type ContentBlock,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { EventStream, type DialogEvent } from '../../api/events/eventStream';
import { AgentError } from '../../agent/kernel/agentError';
import type { ImageRef } from '../../protocol/context/imageRef';
import { imagesOf } from '../../protocol/context/sentImages';
import { visibleLine } from '../../protocol/text/visibleText';
import type { SessionRecord } from '../../types/session';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { HeadlessCore } from '../headlessCore';
import { ClientQuestions } from './clientQuestions';
import type { OpenFolder } from './folderCores';
import { contentOf } from './promptContent';
import { SessionCommands } from './sessionCommands';
import { SessionConfig } from './sessionConfig';
import { SessionUpdates } from './sessionUpdates';

/** Maximum number of pending updates. More are read from the log again. */
const mostPending = 1_000;
/** Maximum number of pending updates with which output of a running command is sent. */
const mostPendingOutput = 10;
const unreadable = 'Could not read the chat. For details, see the log.';

interface RunEnd {
  outcome: string;
  error: string | null;
}

/** Session of a client. Sends updates, and forwards the agent's questions to the client. */
export class AcpSession {
  readonly id: string;
  readonly config: SessionConfig;
  private readonly core: HeadlessCore;
  private readonly updates: SessionUpdates;
  private readonly questions: ClientQuestions;
  private readonly commands: SessionCommands;
  private stream: EventStream | null = null;
  private isReplay = false;
  private tail: Promise<void> = Promise.resolve();
  private pending = 0;
  private drained: () => void = () => undefined;
  private ends: ((end: RunEnd) => void)[] = [];
  private error: string | null = null;
  private stopping: Promise<void> = Promise.resolve();
  /** Fires when the client cancels the current prompt. */
  private cancelling = new AbortController();
  /** Options that the client knows, as JSON. */
  private knownOptions = '';
  private knownTitle: string;
  private knownCommands = '';
  private readonly subscriptions: Disposable[] = [];
  private isDisposed = false;
  /** Images of the messages that are replayed, by the event's `idx`. */
  private readonly imagesByIndex = new Map<number, readonly ImageRef[]>();

  constructor(
    record: Pick<SessionRecord, 'id' | 'mode' | 'model' | 'title'>,
    readonly place: OpenFolder,
    private readonly client: AgentContext,
    private readonly logger: Logger,
  ) {
    const { core, folder } = place;
    this.id = record.id;
    this.core = core;
    this.knownTitle = record.title;
    this.config = new SessionConfig(core, record);
    this.updates = new SessionUpdates(folder);
    this.commands = new SessionCommands(this.id, core, this.config, (text) =>
      this.send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
    );
    this.questions = new ClientQuestions(this.id, core.controller, client, this.updates, logger, {
      send: (update) => this.send(update),
      whenSent: () => this.tail,
    });
  }

  /** Sends the whole chat and all later changes. Resolves when the client has received the existing entries. */
  async replay(): Promise<void> {
    const { entries } = await this.core.database.log.read(this.id, 0);
    for (const entry of entries) if (entry.type === 'user_input') this.imagesByIndex.set(entry.seq - 1, imagesOf(entry));
    this.isReplay = true;
    await this.follow(0);
    await this.tail;
    this.isReplay = false;
    this.imagesByIndex.clear();
  }

  /** Sends the changes after a revision. */
  async follow(revision: number): Promise<void> {
    const { database } = this.core;
    const source = {
      database,
      absolute: (shown: string) => shown,
      workSessionsOf: () => Promise.resolve(new Map<number, null>()),
    };
    const sink = {
      write: (event: DialogEvent) => this.take(event),
      onDrain: (go: () => void) => void (this.drained = go),
      fail: () => this.lost(),
    };
    this.stream = new EventStream(this.id, { revision, sent: new Map() }, source, sink, this.logger);
    await this.stream.start();
  }

  /** Sends what changes without a message. Call it after the client knows the session. */
  announce(): void {
    if (this.isDisposed) return;
    this.attempt(this.announceCommands());
    const { models, database, commandOutputs } = this.core;
    this.subscriptions.push(
      commandOutputs.onDidChange(({ sessionId }) => {
        // A slow client gets the result alone.
        if (sessionId !== this.id || this.pending >= mostPendingOutput) return;
        for (const update of this.updates.outputs(commandOutputs.of(this.id))) this.send(update);
      }),
      models.onDidChange(() => this.attempt(this.announceOptions())),
      database.sessions.onDidChange(({ sessionId }) => {
        if (sessionId === null || sessionId === this.id) this.attempt(this.announceTitle());
      }),
    );
  }

  /** Returns all config options for a response. */
  async options(): Promise<SessionConfigOption[]> {
    const options = await this.config.options();
    this.knownOptions = JSON.stringify(options);
    return options;
  }

  /** Sets an option, also for the next step of a run. Rejects with an invalid-parameters error. */
  async setOption(id: string, value: unknown): Promise<SessionConfigOption[]> {
    await this.config.set(id, value);
    if (id === 'mode') this.announceMode();
    const model = await this.config.model();
    if (id === 'model' && model !== null) await this.core.controller.changeModel(this.id, model);
    return this.options();
  }

  /** Sets the mode, and tells clients with config options and those without. */
  async setMode(mode: string): Promise<void> {
    await this.config.set('mode', mode);
    this.announceMode();
    await this.announceOptions();
  }

  /** Sends a message. Resolves with the reason for the run's end; rejects with its error. */
  async prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    if (this.ends.length > 0)
      throw RequestError.invalidRequest(
        undefined,
        'A message is being answered in this session. Wait for its end, or cancel it.',
      );
    this.error = null;
    this.cancelling = new AbortController();
    const { signal } = this.cancelling;
    const ended = new Promise<RunEnd>((resolve) => this.ends.push(resolve));
    try {
      const content = await contentOf(blocks, this.core.database.images);
      // A stop in progress would also stop the new run.
      await this.stopping;
      if (this.stream === null) await this.follow((await this.core.database.sessions.get(this.id))?.revision ?? 0);
      if (this.stream === null) throw new Error(unreadable);
      if (this.commands.startsPlan(content)) await this.setMode('agent');
      const { servers } = this.place;
      if (servers?.isWaiting === true && this.config.mode === 'agent') await this.questions.askForServers(servers, signal);
      if (signal.aborted || !(await this.commands.begin(content))) {
        this.ends = [];
        await this.tail;
        return signal.aborted ? 'cancelled' : 'end_turn';
      }
    } catch (failure) {
      this.ends = [];
      if (failure instanceof AgentError) throw RequestError.invalidRequest(undefined, failure.userMessage);
      throw failure;
    }
    const { outcome, error } = await ended;
    // The run may have changed the prompt files.
    this.attempt(this.announceCommands());
    await this.tail;
    if (outcome === 'failed') throw new Error(error ?? 'The run failed.');
    return outcome === 'stopped' || outcome === 'interrupted'
      ? 'cancelled'
      : outcome === 'limit'
        ? 'max_turn_requests'
        : 'end_turn';
  }

  cancel(): Promise<void> {
    this.cancelling.abort();
    this.stopping = this.core.controller.stop(this.id);
    return this.stopping;
  }

  /** Stops the run, ends its prompt as cancelled, and sends no more updates. */
  async close(): Promise<void> {
    await this.cancel();
    await this.tail;
    this.dispose();
  }

  dispose(): void {
    this.isDisposed = true;
    this.stream?.dispose();
    for (const subscription of this.subscriptions.splice(0)) void subscription.dispose();
    for (const end of this.ends.splice(0)) end({ outcome: 'interrupted', error: null });
  }

  private announceMode(): void {
    this.send({ sessionUpdate: 'current_mode_update', currentModeId: this.config.mode });
  }

  /** Sends the commands if they differ from those that the client knows. */
  private async announceCommands(): Promise<void> {
    const availableCommands = await this.commands.list();
    const known = JSON.stringify(availableCommands);
    if (known === this.knownCommands) return;
    this.knownCommands = known;
    this.send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** Sends the options if they differ from those that the client knows. */
  private async announceOptions(): Promise<void> {
    const before = this.knownOptions;
    const configOptions = await this.options();
    if (this.knownOptions !== before) this.send({ sessionUpdate: 'config_option_update', configOptions });
  }

  private async announceTitle(): Promise<void> {
    const record = await this.core.database.sessions.get(this.id);
    if (record === undefined || record.title === this.knownTitle) return;
    this.knownTitle = record.title;
    const updatedAt = new Date(record.updated_at).toISOString();
    this.send({ sessionUpdate: 'session_info_update', title: visibleLine(record.title), updatedAt });
  }

  private attempt(work: Promise<void>): void {
    work.catch((error: unknown) => this.logger.warn('A change could not be sent to the client', error));
  }

  /** Fails the pending prompts. The next message reads the log again. */
  private lost(): void {
    this.stream = null;
    for (const end of this.ends.splice(0)) end({ outcome: 'failed', error: unreadable });
  }

  private take(event: DialogEvent): boolean {
    const { isReplay } = this;
    if (event.type === 'error') this.error = String(event['error']);
    for (const update of this.updates.of(event, isReplay)) this.send(update);
    for (const image of this.imagesByIndex.get(event.idx ?? -1) ?? []) this.queue(() => this.sendImage(image));
    if (isReplay) return this.pending < mostPending;
    if (event.type === 'approval' && event['phase'] === 'requested') void this.questions.askPermission(event);
    if (event.type === 'question' && event['outcome'] === undefined && event['phase'] !== 'settled')
      void this.questions.askQuestion(event);
    if (event.type === 'done')
      for (const end of this.ends.splice(0)) end({ outcome: String(event['outcome']), error: this.error });
    return this.pending < mostPending;
  }

  private send(update: SessionUpdate): void {
    if (!this.isDisposed) this.queue(() => this.notify(update));
  }

  private notify(update: SessionUpdate): Promise<void> {
    return this.client.notify('session/update', { sessionId: this.id, update });
  }

  /** Sends an image of the user. Each is read when it is its turn, so that only one is in memory. */
  private async sendImage({ hash, type }: ImageRef): Promise<void> {
    const bytes = await this.core.database.images.read(hash);
    if (bytes === null) return;
    const data = Buffer.from(bytes).toString('base64');
    await this.notify({ sessionUpdate: 'user_message_chunk', content: { type: 'image', mimeType: type, data } });
  }

  private queue(work: () => Promise<void>): void {
    this.pending += 1;
    this.tail = this.tail.then(work).then(
      () => this.sent(),
      (error: unknown) => {
        this.logger.debug('The client took no update', error);
        this.sent();
      },
    );
  }

  private sent(): void {
    this.pending -= 1;
    if (this.pending === 0) this.drained();
  }
}
