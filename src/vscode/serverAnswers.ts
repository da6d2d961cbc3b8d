import { Emitter } from '../utils/emitter';

const key = 'workspaceServer.answers';
type Answers = Readonly<Record<string, boolean>>;

/** The editor's storage for a workspace. */
interface AnswerStore {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/**
 * Remembers which servers of this workspace the user has agreed to or refused, in the editor's storage for the workspace, which no
 * repository can write. Addresses are as `shownAddress` writes them, so another host, port, scheme or path is another address.
 */
export class ServerAnswers {
  private readonly changes: Emitter<void>;

  constructor(
    private readonly store: AnswerStore,
    onListenerError: (error: unknown) => void,
  ) {
    this.changes = new Emitter(onListenerError);
  }

  /** Fires when an answer is stored. */
  get onDidChange() {
    return this.changes.event;
  }

  readonly answerTo = (address: string): boolean | undefined => {
    const answers = this.answers();
    return Object.hasOwn(answers, address) ? answers[address] : undefined;
  };

  /** Rejects if the editor cannot store the answer; the earlier one stays. */
  async set(address: string, isAllowed: boolean): Promise<void> {
    if (this.answerTo(address) === isAllowed) return;
    await this.store.update(key, { ...this.answers(), [address]: isAllowed });
    this.changes.fire();
  }

  private answers(): Answers {
    return (this.store.get(key) as Answers | undefined) ?? {};
  }
}
