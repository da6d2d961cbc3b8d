import type { PendingChanges } from './pendingChanges';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { ReviewEditor } from './reviewPorts';
import { reviewedFile } from './reviewSessionBuilder';
import type { ReviewHunk } from './reviewTypes';

export interface OtherChatSources {
  /** Lists files with pending changes in sessions that are not shown, by real path, the last changed first. */
  waitingElsewhere: () => Promise<readonly { sessionId: string; path: string }[]>;
  compared: PendingChanges['compared'];
}

interface ShownFile {
  sessionId: string | null;
  hunks: readonly ReviewHunk[];
}

/** Tracks the files with pending changes of other chats, and the hunks of those visible in an editor. */
export class OtherChats implements Disposable {
  /** Sessions of each file, last change first. */
  private candidates: ReadonlyMap<string, readonly string[]> = new Map();
  /** Session of each file. For visible files, one whose changes remain in the file. */
  private sessions: ReadonlyMap<string, string> = new Map();
  private hunks: ReadonlyMap<string, readonly ReviewHunk[]> = new Map();
  /** Number of refreshes so far. Only the result of the last one is used. */
  private refreshCount = 0;

  /** `onChange` is called after each refresh. */
  constructor(
    private readonly sources: OtherChatSources,
    private readonly editor: Pick<ReviewEditor, 'document' | 'visible'>,
    private readonly logger: Logger,
    private readonly onChange: () => void,
  ) {}

  /** Returns the real paths of these files. */
  get paths(): string[] {
    return [...this.sessions.keys()];
  }

  /** Returns the session that last changed a file, or undefined. */
  sessionOf(path: string): string | undefined {
    return this.sessions.get(path);
  }

  hunksOf(path: string): readonly ReviewHunk[] {
    return this.hunks.get(path) ?? [];
  }

  /** Resolves when the refresh, or a later one, has replaced this one. */
  async refresh(): Promise<void> {
    this.refreshCount += 1;
    const current = this.refreshCount;
    try {
      const waiting = await this.sources.waitingElsewhere();
      const candidates = new Map<string, string[]>();
      for (const { path, sessionId } of waiting) candidates.set(path, [...(candidates.get(path) ?? []), sessionId]);
      const shown = await this.shownFiles(candidates);
      if (current !== this.refreshCount) return;
      this.candidates = candidates;
      this.sessions = new Map(
        [...candidates].flatMap(([path, [last]]) => {
          const sessionId = shown.has(path) ? shown.get(path)?.sessionId : last;
          return sessionId == null ? [] : [[path, sessionId]];
        }),
      );
      this.hunks = new Map([...shown].map(([path, { hunks }]) => [path, hunks]));
      this.onChange();
    } catch (error) {
      this.logger.warn('Could not find out which files wait in other chats', error);
    }
  }

  /** Returns true if another chat has pending changes in a file, even if none of them remains in it now. */
  isWaiting(path: string): boolean {
    return this.candidates.has(path);
  }

  /** Refreshes if an editor shows one of the files. */
  shownChanged(): void {
    if (this.editor.visible().some((path) => this.isWaiting(path))) void this.refresh();
  }

  dispose(): void {
    this.refreshCount += 1;
  }

  /** Returns each visible file with the last session whose changes remain in it; null if there is none. */
  private async shownFiles(candidates: ReadonlyMap<string, readonly string[]>): Promise<ReadonlyMap<string, ShownFile>> {
    const found = new Map<string, ShownFile>();
    for (const path of this.editor.visible())
      if (candidates.has(path)) found.set(path, await this.shownFile(path, candidates.get(path) ?? []));
    return found;
  }

  private async shownFile(path: string, sessionIds: readonly string[]): Promise<ShownFile> {
    for (const sessionId of sessionIds) {
      const [change] = await this.sources.compared(sessionId, new Set([path]));
      if (change !== undefined) return { sessionId, hunks: reviewedFile(change, this.editor).state.hunks };
    }
    return { sessionId: null, hunks: [] };
  }
}
