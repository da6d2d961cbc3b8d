import type { PendingChanges } from './pendingChanges';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { ReviewEditor } from './reviewPorts';
import { reviewedFile } from './reviewSessionBuilder';
import type { ReviewHunk } from './reviewTypes';

export interface OtherChatSources {
  /** Lists files with pending changes in sessions that are not shown, by real path. */
  waitingElsewhere: () => Promise<readonly { sessionId: string; path: string }[]>;
  compared: PendingChanges['compared'];
}

/** Tracks the files with pending changes of other chats, and the hunks of those visible in an editor. */
export class OtherChats implements Disposable {
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

  /** Returns the session that changed a file, or undefined. */
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
      const sessions = new Map(waiting.map(({ path, sessionId }) => [path, sessionId]));
      const hunks = await this.shownHunks(sessions);
      if (current !== this.refreshCount) return;
      [this.sessions, this.hunks] = [sessions, hunks];
      this.onChange();
    } catch (error) {
      this.logger.warn('Could not find out which files wait in other chats', error);
    }
  }

  /** Refreshes if an editor shows one of the files. */
  shownChanged(): void {
    if (this.editor.visible().some((path) => this.sessions.has(path))) void this.refresh();
  }

  dispose(): void {
    this.refreshCount += 1;
  }

  private async shownHunks(sessions: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, readonly ReviewHunk[]>> {
    const found = new Map<string, readonly ReviewHunk[]>();
    const shown = this.editor.visible().filter((path) => sessions.has(path));
    for (const sessionId of new Set(shown.map((path) => sessions.get(path) ?? ''))) {
      const paths = new Set(shown.filter((path) => sessions.get(path) === sessionId));
      for (const change of await this.sources.compared(sessionId, paths))
        found.set(change.path, reviewedFile(change, this.editor).state.hunks);
    }
    return found;
  }
}
