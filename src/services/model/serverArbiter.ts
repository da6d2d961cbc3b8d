import { findModel } from '../../types/modelNames';
import { isAtWork, type RunStateName } from '../../types/runState';

/** Work besides chats. The workspace is indexed in one piece with its pauses, messages batch by batch. */
type OtherWork = 'suggestion' | 'workspaceIndex' | 'messageIndex';

/** Work that goes before each kind, besides chats. An index sends one batch at a time, so a chat waits for one batch at most. */
const goesBefore: Record<OtherWork | 'title', readonly OtherWork[]> = {
  suggestion: [],
  workspaceIndex: ['suggestion', 'messageIndex'],
  messageIndex: ['suggestion', 'workspaceIndex'],
  title: [],
};

/**
 * Knows what uses the server in this window and says who yields to whom. A chat yields to nobody. A suggestion yields to a chat with its model, which
 * would have to read its conversation anew. Indexes yield to chats, to suggestions and to each other. A title is given up when a chat begins. How many chats work at a time
 * is for `RunQueue`; requests of other windows and programs are not known.
 */
export class ServerArbiter {
  /** Chats at work or waiting for their turn, by session; the model is empty until it is known. */
  private readonly chats = new Map<string, { isWorking: boolean; model: string }>();
  private readonly others = new Map<OtherWork, number>();
  private nextChat = new AbortController();

  /** Follows the run of a session. `modelOf` is asked when the run begins to work; a failure counts as no model. */
  followRun({ sessionId, state }: { sessionId: string; state: RunStateName }, modelOf: () => Promise<string | null>): void {
    const known = this.chats.get(sessionId);
    if (!isAtWork(state)) {
      this.chats.delete(sessionId);
      return;
    }
    const isWorking = state === 'running';
    if (known?.isWorking === isWorking) return;
    const chat = { isWorking, model: '' };
    this.chats.set(sessionId, chat);
    if (isWorking)
      modelOf().then(
        (model) => (chat.model = model ?? ''),
        () => undefined,
      );
    this.nextChat.abort();
    this.nextChat = new AbortController();
  }

  /** Forgets all chats: the storage that they are in was closed. */
  forgetChats(): void {
    this.chats.clear();
  }

  /** Fires when the next chat begins or lines up. */
  get untilChat(): AbortSignal {
    return this.nextChat.signal;
  }

  /** Notes that work has begun. Returns the function that ends it. */
  begin(work: OtherWork): () => void {
    const change = (by: number) => this.others.set(work, (this.others.get(work) ?? 0) + by);
    change(1);
    let hasEnded = false;
    return () => {
      if (!hasEnded) change(-1);
      hasEnded = true;
    };
  }

  /** Tells whether work has to wait, or is not to begin, since somebody else goes first now. `model`: of a suggestion. */
  yields(work: OtherWork | 'title', model?: string): boolean {
    return this.yieldsToChat(work, model) || goesBefore[work].some((other) => (this.others.get(other) ?? 0) > 0);
  }

  private yieldsToChat(work: OtherWork | 'title', model: string | undefined): boolean {
    const chats = [...this.chats.values()];
    if (work === 'title') return chats.length > 0;
    const working = chats.filter(({ isWorking }) => isWorking);
    if (model === undefined) return working.length > 0;
    return (
      findModel(
        working.map((chat) => ({ name: chat.model })),
        model,
      ) !== undefined
    );
  }
}
