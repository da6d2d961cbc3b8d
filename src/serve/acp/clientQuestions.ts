import { randomUUID } from 'node:crypto';
import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { DialogEvent } from '../../api/events/eventStream';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { HeadlessCore } from '../headlessCore';
import type { ClientServers } from './clientServers';
import { sandboxChoices } from '../questions/sandboxChoices';
import { fenced, textContent } from './updateText';
import type { SessionUpdates } from './sessionUpdates';

/** Sends updates to the client, in order. */
interface Outbox {
  send(update: SessionUpdate): void;
  /** Resolves when the client has received all updates so far. */
  whenSent(): Promise<void>;
}

/** Forwards the questions of a session's run to the client. The client's reply counts as the user's reply. */
export class ClientQuestions {
  constructor(
    private readonly sessionId: string,
    private readonly controller: Pick<HeadlessCore['controller'], 'decideApproval' | 'answerQuestion'>,
    private readonly client: AgentContext,
    private readonly updates: Pick<SessionUpdates, 'approval' | 'question'>,
    private readonly logger: Logger,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Asks whether the client's servers may start and shows everything that would start. Then
   * starts the servers and reports the result.
   */
  async askForServers(servers: ClientServers, signal: AbortSignal): Promise<void> {
    const toolCallId = `mcp-servers-${randomUUID()}`;
    const content: ToolCallContent[] = [textContent(fenced(servers.definitions))];
    const toolCall = { toolCallId, title: `Start MCP servers: ${servers.names}`, kind: 'execute' as const, content };
    this.outbox.send({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    const chosen = await this.choose(toolCall, [
      { optionId: 'start', name: 'Start', kind: 'allow_once' },
      { optionId: 'no', name: 'Do not start', kind: 'reject_once' },
    ]);
    const isAllowed = chosen === 'start';
    // Without a reply, the next message asks again.
    if (chosen !== null) servers.answer(isAllowed);
    const { areRunning, report } = isAllowed ? await servers.start(signal) : { areRunning: false, report: 'Not started' };
    this.outbox.send({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: areRunning ? 'completed' : 'failed',
      content: [...content, textContent(fenced(report))],
    });
  }

  /** Asks for permission. A missing reply counts as a denial. */
  async askPermission(event: DialogEvent): Promise<void> {
    const options = permissionOptions(event);
    const chosen = await this.choose(this.updates.approval(event), options);
    const isAllowed = options.some(({ optionId, kind }) => optionId === chosen && kind !== 'reject_once');
    const decision = { isAlways: chosen === 'always', isHost: chosen === 'allow_host' };
    await this.settle(() => this.controller.decideApproval(this.sessionId, String(event['approval']), isAllowed, decision));
  }

  /** Asks the client to choose a reply. A question without choices gets an empty answer, so that the agent decides. */
  async askQuestion(event: DialogEvent): Promise<void> {
    const { toolCall, answers, names } = this.updates.question(event);
    const options: PermissionOption[] = [
      ...names.map((name, index) => ({ optionId: String(index), name, kind: 'allow_once' as const })),
      { optionId: 'none', name: 'Let the agent decide', kind: 'reject_once' },
    ];
    const chosen = answers.length === 0 ? null : await this.choose(toolCall, options);
    const answer = chosen === null ? '' : (answers[Number(chosen)] ?? '');
    await this.settle(() => this.controller.answerQuestion(this.sessionId, String(event['question']), answer));
  }

  /** Resolves with the ID of the selected option, or with null if there is no reply. */
  async choose(toolCall: ToolCallUpdate, options: PermissionOption[]): Promise<string | null> {
    await this.outbox.whenSent();
    try {
      const asked: RequestPermissionRequest = { sessionId: this.sessionId, toolCall, options };
      const { outcome } = await this.client.request<RequestPermissionResponse>('session/request_permission', asked);
      return outcome.outcome === 'selected' ? outcome.optionId : null;
    } catch (error) {
      this.logger.warn('The client could not ask', error);
      return null;
    }
  }

  private async settle(answer: () => Promise<void>): Promise<void> {
    // The run may have been stopped in the meantime.
    await answer().catch((error: unknown) => this.logger.debug(messageOf(error)));
  }
}

function permissionOptions(event: DialogEvent): PermissionOption[] {
  const choices = sandboxChoices(event);
  if (choices.length > 0) {
    return [
      // Clients that approve automatically use the first `allow_once` option. If there is a host, this option allows the host.
      ...choices.map(({ choice, name }) => ({ optionId: choice, name, kind: 'allow_once' as const })),
      { optionId: 'no', name: 'Skip', kind: 'reject_once' },
    ];
  }
  return [
    { optionId: 'once', name: 'Allow', kind: 'allow_once' },
    ...(event['canAllowAlways'] === true
      ? [{ optionId: 'always', name: 'Always allow in this session', kind: 'allow_always' } as const]
      : []),
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
}
