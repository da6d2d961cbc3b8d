import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  StopReason,
} from '@agentclientprotocol/sdk';
import { EventStream, type DialogEvent } from '../../api/events/eventStream';
import type { ChatMode } from '../../types/modes';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { HeadlessCore } from '../headlessCore';
import { SessionUpdates } from './sessionUpdates';

/** Updates that may wait for the client; more are read from the log again. */
const mostPending = 1_000;
const unreadable = 'The conversation could not be read; the log says why.';

/** Modes that a client may choose. */
export type AcpMode = Extract<ChatMode, 'ask' | 'plan' | 'agent'>;

/** Run that has ended: how, and with which error. */
interface RunEnd {
  outcome: string;
  error: string | null;
}

/** One session of a client: tells it what happens, and asks it what the agent asks. */
export class AcpSession {
  mode: AcpMode = 'agent';
  private readonly updates: SessionUpdates;
  private stream: EventStream | null = null;
  private isReplay = false;
  private tail: Promise<void> = Promise.resolve();
  private pending = 0;
  private drained: () => void = () => undefined;
  private ends: ((end: RunEnd) => void)[] = [];
  private error: string | null = null;
  private stopping: Promise<void> = Promise.resolve();

  constructor(
    readonly id: string,
    private readonly core: HeadlessCore,
    folder: string,
    private readonly client: AgentContext,
    private readonly logger: Logger,
  ) {
    this.updates = new SessionUpdates(folder);
  }

  /** Tells the whole conversation, and what happens from then on. Resolves when the client has what there was. */
  async replay(): Promise<void> {
    this.isReplay = true;
    await this.follow(0);
    await this.tail;
    this.isReplay = false;
  }

  /** Tells what happens from a revision on. */
  async follow(revision: number): Promise<void> {
    const { database } = this.core;
    const source = { database, workSessionsOf: () => Promise.resolve(new Map<number, null>()) };
    const sink = {
      write: (event: DialogEvent) => this.take(event),
      onDrain: (go: () => void) => void (this.drained = go),
      fail: () => this.lost(),
    };
    this.stream = new EventStream(this.id, { revision, sent: new Map() }, source, sink, this.logger);
    await this.stream.start();
  }

  /** Sends a message, and resolves with why the run has ended. Rejects with why it failed. */
  async prompt(text: string): Promise<StopReason> {
    const { controller, settings } = this.core;
    // Stopping goes on until no run is left, and would stop the next one.
    await this.stopping;
    if (this.stream === null) await this.follow((await this.core.database.sessions.get(this.id))?.revision ?? 0);
    if (this.stream === null) throw new Error(unreadable);
    const model = settings.getModeConfig(this.mode).model || null;
    this.error = null;
    const ended = new Promise<RunEnd>((resolve) => this.ends.push(resolve));
    await controller.send({ sessionId: this.id, text, mode: this.mode, model });
    const { outcome, error } = await ended;
    await this.tail;
    if (outcome === 'failed') throw new Error(error ?? 'The run failed.');
    return outcome === 'stopped' || outcome === 'interrupted'
      ? 'cancelled'
      : outcome === 'limit'
        ? 'max_turn_requests'
        : 'end_turn';
  }

  cancel(): Promise<void> {
    this.stopping = this.core.controller.stop(this.id);
    return this.stopping;
  }

  dispose(): void {
    this.stream?.dispose();
  }

  /** Ends what waits for the conversation; the next message reads it anew. */
  private lost(): void {
    this.stream = null;
    for (const end of this.ends.splice(0)) end({ outcome: 'failed', error: unreadable });
  }

  private take(event: DialogEvent): boolean {
    const { isReplay } = this;
    if (event.type === 'error') this.error = String(event['error']);
    for (const update of this.updates.of(event, isReplay))
      this.tell(() => this.client.notify('session/update', { sessionId: this.id, update }));
    if (isReplay) return this.pending < mostPending;
    if (event.type === 'approval' && event['phase'] === 'requested') void this.askPermission(event);
    if (event.type === 'question' && event['outcome'] === undefined && event['phase'] !== 'settled') void this.askQuestion(event);
    if (event.type === 'done')
      for (const end of this.ends.splice(0)) end({ outcome: String(event['outcome']), error: this.error });
    return this.pending < mostPending;
  }

  private tell(send: () => Promise<void>): void {
    this.pending += 1;
    this.tail = this.tail.then(send).then(
      () => this.told(),
      (error: unknown) => {
        this.logger.debug('The client took no update', error);
        this.told();
      },
    );
  }

  private told(): void {
    this.pending -= 1;
    if (this.pending === 0) this.drained();
  }

  /** Asks the client for what the agent asks permission for: its answer is the person's, and no answer is a no. */
  private async askPermission(event: DialogEvent): Promise<void> {
    const options: PermissionOption[] = [
      { optionId: 'once', name: 'Allow', kind: 'allow_once' },
      ...(event['canAllowAlways'] === true
        ? [{ optionId: 'always', name: 'Always allow in this session', kind: 'allow_always' } as const]
        : []),
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ];
    const chosen = await this.choose(this.updates.approval(event), options);
    await this.settle(() =>
      this.core.controller.decideApproval(
        this.id,
        String(event['approval']),
        chosen === 'once' || chosen === 'always',
        chosen === 'always',
      ),
    );
  }

  /** Asks the client to choose an answer; what has none to choose from is left to the agent. */
  private async askQuestion(event: DialogEvent): Promise<void> {
    const { toolCall, answers, names } = this.updates.question(event);
    const options: PermissionOption[] = [
      ...names.map((name, index) => ({ optionId: String(index), name, kind: 'allow_once' as const })),
      { optionId: 'none', name: 'Leave it to the agent', kind: 'reject_once' },
    ];
    const chosen = answers.length === 0 ? null : await this.choose(toolCall, options);
    const answer = chosen === null ? '' : (answers[Number(chosen)] ?? '');
    await this.settle(() => this.core.controller.answerQuestion(this.id, String(event['question']), answer));
  }

  private async choose(
    toolCall: { toolCallId: string; title: string; kind: 'execute' | 'edit' | 'read' | 'other' },
    options: PermissionOption[],
  ): Promise<string | null> {
    await this.tail;
    try {
      const asked: RequestPermissionRequest = { sessionId: this.id, toolCall, options };
      const { outcome } = await this.client.request<RequestPermissionResponse>('session/request_permission', asked);
      return outcome.outcome === 'selected' ? outcome.optionId : null;
    } catch (error) {
      this.logger.warn('The client could not ask', error);
      return null;
    }
  }

  private async settle(answer: () => Promise<void>): Promise<void> {
    // The run may have been stopped meanwhile.
    await answer().catch((error: unknown) => this.logger.debug(messageOf(error)));
  }
}
