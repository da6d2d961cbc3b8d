import { findModel } from '../../types/modelNames';
import { isAtWork, type RunStateName } from '../../types/runState';

/**
 * Work other than chats. Indexing the workspace counts as one task, including its pauses. Messages are indexed batch by batch.
 */
type BackgroundWork = 'suggestion' | 'workspaceIndex' | 'messageIndex';

/**
 * Work that has priority over each kind of work, besides chats. An index
 * sends one batch at a time, so a chat waits for at most one batch.
 */
const priorities: Record<BackgroundWork | 'title', readonly BackgroundWork[]> = {
  suggestion: [],
  workspaceIndex: ['suggestion', 'messageIndex'],
  messageIndex: ['suggestion', 'workspaceIndex'],
  title: [],
};

/**
 * Tracks the use of the server in this window and decides which work must wait. A chat never waits. A suggestion waits for a chat
 * with the same model, because it would evict the prompt cache of the chat. Indexes wait for chats, suggestions and each other. A
 * title is skipped when a chat starts. `RunQueue` limits the number of parallel chats. Requests from other windows and programs
 * are not tracked.
 */
export class ServerArbiter {
  /** Chats that are running or queued, by session. The model is an empty string until it is known. */
  private readonly chats = new Map<string, { isWorking: boolean; model: string }>();
  private readonly others = new Map<BackgroundWork, number>();
  private nextChat = new AbortController();

  /** Tracks the run of a session. Calls `modelOf` when the run starts. If `modelOf` fails, the model stays unknown. */
  trackRun({ sessionId, state }: { sessionId: string; state: RunStateName }, modelOf: () => Promise<string | null>): void {
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

  /** Removes all chats after their storage was closed. */
  forgetChats(): void {
    this.chats.clear();
  }

  /** Signal that fires when the next chat starts or is queued. */
  get nextChatSignal(): AbortSignal {
    return this.nextChat.signal;
  }

  /** Records the start of work. Returns the function that ends it. */
  begin(work: BackgroundWork): () => void {
    const change = (by: number) => this.others.set(work, (this.others.get(work) ?? 0) + by);
    change(1);
    let hasEnded = false;
    return () => {
      if (!hasEnded) change(-1);
      hasEnded = true;
    };
  }

  /** Returns whether work must wait or be skipped because other work has priority. `model` is the model of a suggestion. */
  mustWait(work: BackgroundWork | 'title', model?: string): boolean {
    return this.mustWaitForChat(work, model) || priorities[work].some((other) => (this.others.get(other) ?? 0) > 0);
  }

  private mustWaitForChat(work: BackgroundWork | 'title', model: string | undefined): boolean {
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
