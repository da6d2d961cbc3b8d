import { agentQuestion, approvalQuestion, type AskedQuestion } from '../serve/questions/askedQuestion';
import { askApproval } from '../serve/questions/askApproval';
import { askForWords, tellQuestion } from '../serve/questions/askOnTerminal';
import type { ApiClient } from './apiClient';
import { isCovered, type ApprovePolicy } from './approvalPolicy';
import type { Terminal } from './personTerminal';

export interface AnswerRules {
  /** Policy that decides without a user. Undefined asks the user. */
  policy: ApprovePolicy | undefined;
  /** Time after which a request is rejected, in milliseconds. */
  approvalTimeoutMs: number | undefined;
}

/** Request that was rejected although no user declined it. */
export interface RefusedRequest {
  kind: string;
  /** Command, file or tool. */
  what: string;
}

type Data = Readonly<Record<string, unknown>>;

const inEditor = 'Answer in the editor.';

/** Handles the agent's requests during a run: decides by policy, asks on the terminal, or leaves them to others. */
export class OpenRequests {
  readonly refused: RefusedRequest[] = [];
  /** True if a user at the server can answer. */
  isPersonThere = true;
  /** Settles when no question is on the terminal. There is only one at a time. */
  private turn: Promise<void> = Promise.resolve();
  private readonly open = new Map<string, { data: Data; answered: AbortController; isRefusedHere: boolean }>();

  constructor(
    private readonly client: ApiClient,
    private readonly terminal: Terminal,
    private readonly dialog: string,
    private readonly rules: AnswerRules,
  ) {}

  /** Handles an `approval` or `question` event. Answers it in the background. */
  take(type: string, data: Data): void {
    const id = String(type === 'approval' ? data['approval'] : data['question']);
    if (data['phase'] === 'requested' || data['phase'] === 'asked') {
      const request = { data, answered: new AbortController(), isRefusedHere: false };
      this.open.set(id, request);
      this.turn = this.turn
        .then(async () => {
          // Another client or user may have answered while an earlier question was open.
          if (!request.answered.signal.aborted) await (type === 'approval' ? this.decide(id, data) : this.answer(id, data));
        })
        .catch((error: unknown) => {
          if (!request.answered.signal.aborted) this.terminal.note(`${error instanceof Error ? error.message : String(error)}\n`);
        });
      return;
    }
    const request = this.open.get(id);
    this.open.delete(id);
    request?.answered.abort();
    const isRefused = data['isUnanswered'] === true || request?.isRefusedHere === true;
    if (type !== 'approval' || data['decision'] !== 'denied' || !isRefused) return;
    const { command, path, kind } = request?.data ?? data;
    this.refused.push({ kind: String(kind), what: String(command ?? path ?? kind) });
  }

  /** Resolves when all requests so far are answered or left to others. */
  settled(): Promise<void> {
    return this.turn;
  }

  dispose(): void {
    for (const { answered } of this.open.values()) answered.abort();
  }

  private async decide(id: string, data: Data): Promise<void> {
    const { policy, approvalTimeoutMs } = this.rules;
    const question = approvalQuestion(data);
    if (policy !== undefined && isCovered(policy, data)) return this.tell('approvals', id, { approve: true });
    if (approvalTimeoutMs !== undefined) this.refuseLater(id, question, approvalTimeoutMs);
    else if (policy !== undefined) return this.refuse(id, question, `Refused, because --approve ${policy} does not cover it.`);
    if (this.terminal.askText !== null && policy === undefined) {
      const { approve, choice } = await askApproval(this.until(id), data);
      return this.tell('approvals', id, { approve, ...(choice !== undefined && { sandbox: choice }) });
    }
    if (this.isPersonThere || approvalTimeoutMs !== undefined) tellQuestion(this.terminal, question, inEditor);
    else return this.refuse(id, question, 'Refused, because there is no terminal to ask on. Use --approve to allow more.');
  }

  private async answer(id: string, data: Data): Promise<void> {
    const { policy } = this.rules;
    const question = agentQuestion(String(data['content']), Array.isArray(data['options']) ? data['options'].map(String) : []);
    const isForm = data['fields'] !== undefined;
    if (this.terminal.askText !== null && policy === undefined && !isForm)
      return this.tell('questions', id, { answer: await askForWords(this.until(id), question) });
    if (this.isPersonThere && policy === undefined) {
      tellQuestion(this.terminal, question, inEditor);
      return;
    }
    tellQuestion(this.terminal, question, 'Not answered. The agent continues without an answer.');
    return this.tell('questions', id, { answer: '' });
  }

  /** Returns the terminal for a question. The question ends when another client or user answers it. */
  private until(id: string): Terminal {
    const { askText } = this.terminal;
    const signal = this.open.get(id)?.answered.signal;
    return { ...this.terminal, askText: askText && ((prompt) => askText(prompt, signal)) };
  }

  private refuseLater(id: string, question: AskedQuestion, milliseconds: number): void {
    const timer = setTimeout(() => {
      void this.refuse(id, question, 'Refused, because no answer came in time.').catch(() => undefined);
    }, milliseconds);
    this.open.get(id)?.answered.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  private refuse(id: string, question: AskedQuestion, why: string): Promise<void> {
    const request = this.open.get(id);
    if (request) request.isRefusedHere = true;
    tellQuestion(this.terminal, question, why);
    return this.tell('approvals', id, { approve: false, unanswered: true });
  }

  private async tell(kind: 'approvals' | 'questions', id: string, body: unknown): Promise<void> {
    await this.client.call(
      'POST',
      ['/api/dialogs', encodeURIComponent(this.dialog), kind, encodeURIComponent(id)].join('/'),
      body,
    );
  }
}
