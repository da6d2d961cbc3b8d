import { cleanLine } from '../mcp/tools/cleanText';
import type { Entry, EntryOf } from '../protocol/entries';
import { isCancelled, messageOf } from '../utils/errors';
import type { HeadlessCore, HeadlessVoice } from './headlessCore';

/** Terminal that a person may sit at. */
export interface AskingTerminal extends HeadlessVoice {
  /** Asks for a line; null where nobody is there. */
  askText: ((question: string) => Promise<string>) | null;
}

const mostCharacters = 2_000;

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
      if (!isCancelled(error)) this.terminal.note(`${cleanLine(messageOf(error), mostCharacters)}\n`);
    });
  }

  private async approve(sessionId: string, { data }: EntryOf<'approval'>): Promise<void> {
    const what = cleanLine(wordsOf(data), mostCharacters);
    const { ask } = this.terminal;
    if (ask === null && this.isAnsweredElsewhere) {
      this.terminal.note(`? ${what}: waits for a client\n`);
      return;
    }
    if (ask === null) this.terminal.note(`? ${what}: refused, because nobody can be asked\n`);
    const isApproved = ask !== null && (await ask(`\n? Allow ${what}`));
    await this.core.controller.decideApproval(sessionId, data.approvalId, isApproved);
  }

  private async answer(sessionId: string, { content, data }: EntryOf<'question'>): Promise<void> {
    const { askText } = this.terminal;
    const what = cleanLine([content, ...(data.options ?? []).map((one) => `· ${one}`)].join(' '), mostCharacters);
    if (askText === null && this.isAnsweredElsewhere) {
      this.terminal.note(`? ${what}: waits for a client\n`);
      return;
    }
    if (askText === null) this.terminal.note(`? ${what}: left to the agent, because nobody can be asked\n`);
    await this.core.controller.answerQuestion(
      sessionId,
      data.questionId,
      askText === null ? '' : await askText(`\n? ${what}\n> `),
    );
  }
}

/** Returns what an approval is asked for, in one line: what runs or changes, and how much it can do. */
function wordsOf({ kind, command, path, newPath, operation, severity, reasons = [] }: EntryOf<'approval'>['data']): string {
  const words = [kind, operation, command ?? path, ...(newPath === undefined ? [] : ['to', newPath])];
  const risk = severity === undefined ? '' : ` (${[`risk: ${severity}`, ...reasons].join('; ')})`;
  return `${words.filter((word) => word !== undefined).join(' ')}${risk}`;
}
