import { visibleLine } from '../protocol/text/visibleText';
import type { ClientPresence } from '../api/clientPresence';
import type { Entry, EntryOf } from '../protocol/entries';
import type { AsyncMutex } from '../utils/asyncMutex';
import { isCancelled, messageOf } from '../utils/errors';
import type { HeadlessCore } from './headlessCore';
import { askApproval } from './questions/askApproval';
import { agentQuestion, approvalQuestion, type AskedQuestion } from './questions/askedQuestion';
import { askForWords, tellQuestion, type AskingTerminal } from './questions/askOnTerminal';

/** Rejects a request because no user or client can answer it. */
type Refuse = () => Promise<void>;

/**
 * Asks the agent's questions on the terminal. Without a terminal, leaves them to clients with the permission to answer.
 * If there is no such client, or the last one leaves, rejects the question and reports this.
 */
export class TerminalQuestions {
  /** Questions that wait for a client, by ID. */
  private readonly waiting = new Map<string, Refuse>();

  constructor(
    private readonly core: Pick<HeadlessCore, 'database' | 'controller'>,
    private readonly terminal: AskingTerminal,
    private readonly clients: Pick<ClientPresence, 'isAnyonePresent' | 'onDidLeave'>,
    /** Ensures that only one question at a time is on the terminal. */
    private readonly turn: AsyncMutex,
  ) {
    core.database.log.onDidChange((event) => {
      if (event.kind === 'entry') this.take(event.sessionId, event.entry);
    });
    clients.onDidLeave(() => this.refuseWaiting());
  }

  private take(sessionId: string, entry: Entry): void {
    if (entry.type === 'approval') {
      if (entry.data.phase === 'requested') this.next(() => this.approve(sessionId, entry));
      else this.waiting.delete(entry.data.approvalId);
    }
    if (entry.type === 'question') {
      if (entry.data.phase === 'asked') this.next(() => this.answer(sessionId, entry));
      else this.waiting.delete(entry.data.questionId);
    }
  }

  private next(work: () => Promise<void>): void {
    this.turn.runExclusive(work).catch((error: unknown) => {
      if (!isCancelled(error)) this.terminal.note(`${visibleLine(messageOf(error))}\n`);
    });
  }

  private async approve(sessionId: string, { data }: EntryOf<'approval'>): Promise<void> {
    const { controller } = this.core;
    const question = approvalQuestion(data);
    if (this.terminal.askText === null) {
      const refuse = () => controller.decideApproval(sessionId, data.approvalId, false, { isUnanswered: true });
      return this.leaveToClients(data.approvalId, question, refuse, 'Refused because nobody can answer.');
    }
    const { approve, choice } = await askApproval(this.terminal, data);
    await controller.decideApproval(sessionId, data.approvalId, approve, { isHost: choice === 'allow_host' });
  }

  private async answer(sessionId: string, { content, data }: EntryOf<'question'>): Promise<void> {
    const { controller } = this.core;
    const question = agentQuestion(content, data.options);
    if (this.terminal.askText === null) {
      const refuse = () => controller.answerQuestion(sessionId, data.questionId, '');
      const outcome = 'Not answered because nobody can answer. The agent continues without an answer.';
      return this.leaveToClients(data.questionId, question, refuse, outcome);
    }
    await controller.answerQuestion(sessionId, data.questionId, await askForWords(this.terminal, question));
  }

  private async leaveToClients(id: string, question: AskedQuestion, refuse: Refuse, outcome: string): Promise<void> {
    if (!this.clients.isAnyonePresent()) {
      tellQuestion(this.terminal, question, outcome);
      return refuse();
    }
    tellQuestion(this.terminal, question, 'Waiting for a client to answer.');
    this.waiting.set(id, async () => {
      tellQuestion(this.terminal, question, outcome);
      await refuse();
    });
  }

  private refuseWaiting(): void {
    const refusals = [...this.waiting.values()];
    this.waiting.clear();
    for (const refuse of refusals) this.next(refuse);
  }
}
