import type { PendingChanges } from './pendingChanges';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { ReviewEditor } from './reviewPorts';
import { reviewedFile } from './reviewSessionBuilder';
import type { ReviewHunk } from './reviewTypes';

export interface OtherChatSources {
  /** Lists files with pending changes in other sessions than the one that is shown, by their real paths. */
  waitingElsewhere: () => Promise<readonly { sessionId: string; path: string }[]>;
  compared: PendingChanges['compared'];
}

/** Knows the files with pending changes of chats that are not shown, and the hunks of those files that an editor shows. */
export class OtherChats implements Disposable {
  private sessions: ReadonlyMap<string, string> = new Map();
  private hunks: ReadonlyMap<string, readonly ReviewHunk[]> = new Map();
  /** Number of looks so far: only the last one counts. */
  private asked = 0;

  /** `onChange` is called when something has been found. */
  constructor(
    private readonly sources: OtherChatSources,
    private readonly editor: Pick<ReviewEditor, 'document' | 'visible'>,
    private readonly logger: Logger,
    private readonly onChange: () => void,
  ) {}

  /** Returns the real paths of all such files. */
  get paths(): string[] {
    return [...this.sessions.keys()];
  }

  /** Returns the session that has changed a file; undefined if none has. */
  sessionOf(path: string): string | undefined {
    return this.sessions.get(path);
  }

  hunksOf(path: string): readonly ReviewHunk[] {
    return this.hunks.get(path) ?? [];
  }

  /** Looks again. Resolves when that is done or a later look has taken its place. */
  async refresh(): Promise<void> {
    this.asked += 1;
    const mine = this.asked;
    try {
      const waiting = await this.sources.waitingElsewhere();
      const sessions = new Map(waiting.map(({ path, sessionId }) => [path, sessionId]));
      const hunks = await this.shownHunks(sessions);
      if (mine !== this.asked) return;
      [this.sessions, this.hunks] = [sessions, hunks];
      this.onChange();
    } catch (error) {
      this.logger.warn('Could not find out which files wait in other chats', error);
    }
  }

  /** Looks again if an editor shows one of the files. */
  shownChanged(): void {
    if (this.editor.visible().some((path) => this.sessions.has(path))) void this.refresh();
  }

  dispose(): void {
    this.asked += 1;
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
