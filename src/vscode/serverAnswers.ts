import { Emitter } from '../utils/emitter';

const key = 'workspaceServer.answers';
type Answers = Readonly<Record<string, boolean>>;

interface AnswerStore {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/**
 * Stores which servers the user allowed or rejected in this workspace. A repository cannot write to VS Code's workspace
 * storage. Keys are addresses from `shownAddress`. A different host, port, scheme or path is a different address.
 */
export class ServerAnswers {
  private readonly changes: Emitter<void>;

  constructor(
    private readonly store: AnswerStore,
    onListenerError: (error: unknown) => void,
  ) {
    this.changes = new Emitter(onListenerError);
  }

  get onDidChange() {
    return this.changes.event;
  }

  readonly answerTo = (address: string): boolean | undefined => {
    const answers = this.answers();
    return Object.hasOwn(answers, address) ? answers[address] : undefined;
  };

  /** Stores a decision. Rejects if the storage cannot be written. The earlier decision is then kept. */
  async set(address: string, isAllowed: boolean): Promise<void> {
    if (this.answerTo(address) === isAllowed) return;
    await this.store.update(key, { ...this.answers(), [address]: isAllowed });
    this.changes.fire();
  }

  private answers(): Answers {
    return (this.store.get(key) as Answers | undefined) ?? {};
  }
}
