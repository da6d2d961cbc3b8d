import { visibleLine } from '../protocol/text/visibleText';
import type { Entry, EntryOf } from '../protocol/entries';
import { isCancelled, messageOf } from '../utils/errors';
import type { HeadlessCore } from './headlessCore';
import { agentQuestion, approvalQuestion, type AskedQuestion } from './questions/askedQuestion';
import { askForWords, askYesNo, tellQuestion, type AskingTerminal } from './questions/askOnTerminal';

/** Asks on the terminal what the agent asks. Where nobody is there, and no client may answer, it is refused and said. */
export class TerminalQuestions {
  /** One question after the other. */
  private turn: Promise<void> = Promise.resolve();

  /** `isAnsweredElsewhere`: a client was given the right to answer. */
  constructor(
    private readonly core: Pick<HeadlessCore, 'database' | 'controller'>,
    private readonly terminal: AskingTerminal,
    private readonly isAnsweredElsewhere: boolean,
  ) {
    core.database.log.onDidChange((event) => {
      if (event.kind === 'entry') this.take(event.sessionId, event.entry);
    });
  }

  private take(sessionId: string, entry: Entry): void {
    if (entry.type === 'approval' && entry.data.phase === 'requested') this.next(() => this.approve(sessionId, entry));
    if (entry.type === 'question' && entry.isOpen) this.next(() => this.answer(sessionId, entry));
  }

  private next(work: () => Promise<void>): void {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      if (!isCancelled(error)) this.terminal.note(`${visibleLine(messageOf(error))}\n`);
    });
  }

  private async approve(sessionId: string, { data }: EntryOf<'approval'>): Promise<void> {
    const question = approvalQuestion(data);
    if (this.isLeftToClients(question)) return;
    if (this.terminal.askText === null) tellQuestion(this.terminal, question, 'Refused, because nobody can be asked here.');
    const isApproved = await askYesNo(this.terminal, question);
    await this.core.controller.decideApproval(sessionId, data.approvalId, isApproved);
  }

  private async answer(sessionId: string, { content, data }: EntryOf<'question'>): Promise<void> {
    const question = agentQuestion(content, data.options);
    if (this.isLeftToClients(question)) return;
    if (this.terminal.askText === null)
      tellQuestion(this.terminal, question, 'Left to the agent, because nobody can be asked here.');
    const words = await askForWords(this.terminal, question);
    await this.core.controller.answerQuestion(sessionId, data.questionId, words);
  }

  private isLeftToClients(question: AskedQuestion): boolean {
    if (this.terminal.askText !== null || !this.isAnsweredElsewhere) return false;
    tellQuestion(this.terminal, question, 'Waits for a client.');
    return true;
  }
}
