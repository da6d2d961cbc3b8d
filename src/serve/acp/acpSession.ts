import {
  RequestError,
  type AgentContext,
  type ContentBlock,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { EventStream, type DialogEvent } from '../../api/events/eventStream';
import type { BegunRun } from '../../agent/kernel/run';
import { AgentError } from '../../agent/kernel/agentError';
import type { ImageRef } from '../../protocol/context/imageRef';
import { listImages } from '../../protocol/context/sentImages';
import { visibleLine } from '../../protocol/text/visibleText';
import type { SessionRecord } from '../../types/session';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { HeadlessCore } from '../headlessCore';
import { ClientQuestions } from './clientQuestions';
import type { OpenFolder } from './folderCores';
import { readPromptBlocks } from './promptContent';
import { PromptTurns } from './promptTurns';
import { SessionCommands } from './sessionCommands';
import { SessionConfig } from './sessionConfig';
import { SessionUpdates } from './sessionUpdates';

/** Maximum number of pending updates. Beyond it, updates are read from the log again. */
const mostPending = 1_000;
/** Number of pending updates from which the output of a running command is no longer sent. */
const mostPendingOutput = 10;
const unreadable = 'Could not read the chat. For details, see the log.';

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
  private readonly turns = new PromptTurns();
  /** Last error of the current run. */
  private error: string | null = null;
  /** Options that the client has received, as JSON. */
  private knownOptions = '';
  private knownTitle: string;
  private knownCommands = '';
  private readonly subscriptions: Disposable[] = [];
  private isDisposed = false;
  /** Images of the messages in a replay, by the `idx` of the event. */
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
    for (const entry of entries) if (entry.type === 'user_input') this.imagesByIndex.set(entry.seq - 1, listImages(entry));
    this.isReplay = true;
    await this.follow(0);
    await this.tail;
    this.isReplay = false;
    this.imagesByIndex.clear();
  }

  /** Sends the changes made after a revision. */
  async follow(revision: number): Promise<void> {
    const { database } = this.core;
    const source = {
      database,
      absolute: (shown: string) => shown,
      findWorkSessions: () => Promise.resolve(new Map<number, null>()),
    };
    const sink = {
      write: (event: DialogEvent) => this.take(event),
      onDrain: (go: () => void) => void (this.drained = go),
      fail: () => this.lost(),
    };
    this.stream = new EventStream(this.id, { revision, sent: new Map() }, source, sink, this.logger);
    await this.stream.start();
  }

  /** Starts to send updates that do not depend on a message. Call this after the client has received the session. */
  announce(): void {
    if (this.isDisposed) return;
    this.attempt(this.announceCommands());
    const { models, database, commandOutputs } = this.core;
    this.subscriptions.push(
      commandOutputs.onDidChange(({ sessionId }) => {
        // A slow client only receives the final result.
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

  /** Sets an option. It also applies to the next step of a run. Rejects with an invalid-parameters error. */
  async setOption(id: string, value: unknown): Promise<SessionConfigOption[]> {
    await this.config.set(id, value);
    if (id === 'mode') this.announceMode();
    const model = await this.config.model();
    if (id === 'model' && model !== null) await this.core.controller.changeModel(this.id, model);
    return this.options();
  }

  /** Sets the mode. Sends both notifications, because not every client supports config options. */
  async setMode(mode: string): Promise<void> {
    await this.config.set('mode', mode);
    this.announceMode();
    await this.announceOptions();
  }

  /** Sends a message. Resolves with the reason why its run ended. Rejects if the run failed. */
  prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    return this.turns.take((signal) => this.answer(blocks, signal));
  }

  /** Stops the current prompt and its run. Does not affect later prompts. */
  cancel(): Promise<void> {
    this.turns.cancel();
    return this.core.controller.stop(this.id);
  }

  /** Stops the run, ends its prompt as cancelled, and stops sending updates. */
  async close(): Promise<void> {
    await this.cancel();
    await this.tail;
    this.dispose();
  }

  dispose(): void {
    this.isDisposed = true;
    this.stream?.dispose();
    for (const subscription of this.subscriptions.splice(0)) void subscription.dispose();
  }

  private async answer(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const run = await this.begin(blocks, signal);
    // The prompt may have been cancelled before its run could be stopped.
    if (run !== null && signal.aborted) await this.core.controller.stop(this.id);
    const outcome = await run?.ended;
    await this.stream?.caughtUp();
    // The run may have changed the prompt files.
    if (run !== null) this.attempt(this.announceCommands());
    await this.tail;
    if (this.isDisposed) return 'cancelled';
    if (this.stream === null && run !== null) throw new Error(unreadable);
    if (outcome === 'failed') throw new Error(this.error ?? 'The run failed.');
    if (outcome === undefined) return signal.aborted ? 'cancelled' : 'end_turn';
    if (outcome === 'stopped' || outcome === 'interrupted') return 'cancelled';
    return outcome === 'limit' ? 'max_turn_requests' : 'end_turn';
  }

  /** Starts the run of a prompt. Resolves with null if the prompt needs no run, or if `signal` aborted first. */
  private async begin(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<BegunRun | null> {
    try {
      const content = await readPromptBlocks(blocks, this.core.database.images);
      if (this.stream === null) await this.follow((await this.core.database.sessions.get(this.id))?.revision ?? 0);
      if (this.stream === null) throw new Error(unreadable);
      if (this.commands.startsPlan(content)) await this.setMode('agent');
      const { servers } = this.place;
      if (servers?.isWaiting === true && this.config.mode === 'agent') await this.questions.askForServers(servers, signal);
      this.error = null;
      return signal.aborted ? null : await this.commands.begin(content, signal);
    } catch (failure) {
      if (failure instanceof AgentError) throw RequestError.invalidRequest(undefined, failure.userMessage);
      throw failure;
    }
  }

  private announceMode(): void {
    this.send({ sessionUpdate: 'current_mode_update', currentModeId: this.config.mode });
  }

  /** Sends the commands if they differ from those that the client has received. */
  private async announceCommands(): Promise<void> {
    const availableCommands = await this.commands.list();
    const known = JSON.stringify(availableCommands);
    if (known === this.knownCommands) return;
    this.knownCommands = known;
    this.send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** Sends the options if they differ from those that the client has received. */
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

  /** Stops the run if the log is unreadable, because the client would miss questions. The next message reads the log again. */
  private lost(): void {
    this.stream = null;
    this.attempt(this.core.controller.stop(this.id));
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
    return this.pending < mostPending;
  }

  private send(update: SessionUpdate): void {
    if (!this.isDisposed) this.queue(() => this.notify(update));
  }

  private notify(update: SessionUpdate): Promise<void> {
    return this.client.notify('session/update', { sessionId: this.id, update });
  }

  /** Sends an image of the user. Reads each image only when it is sent, so that only one is in memory. */
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
