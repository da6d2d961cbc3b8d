import type { PendingChanges } from './pendingChanges';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { ReviewEditor } from './reviewPorts';
import { reviewedFile } from './reviewSessionBuilder';
import type { ReviewHunk } from './reviewTypes';

export interface OtherChatSources {
  /** Lists files with pending changes in sessions that are not shown, by real path, most recently changed first. */
  waitingElsewhere: () => Promise<readonly { sessionId: string; path: string }[]>;
  compared: PendingChanges['compared'];
}

/** Visible file, with the last chat whose changes remain in it. The id is null if there is none. */
interface ShownFile {
  sessionId: string | null;
  hunks: readonly ReviewHunk[];
}

/** Tracks the files with pending changes of other chats, and the hunks in files that are visible in an editor. */
export class OtherChats implements Disposable {
  /** Sessions that changed each file. The session with the last change is first. */
  private candidates: ReadonlyMap<string, readonly string[]> = new Map();
  private shown: ReadonlyMap<string, ShownFile> = new Map();
  /** Number of refreshes that have started. Only the result of the last refresh is used. */
  private refreshCount = 0;

  /** `onChange` is called after each refresh. */
  constructor(
    private readonly sources: OtherChatSources,
    private readonly editor: Pick<ReviewEditor, 'document' | 'visible'>,
    private readonly logger: Logger,
    private readonly onChange: () => void,
  ) {}

  /** Returns the real paths of the files that another chat has changed. */
  get paths(): string[] {
    return [...this.candidates.keys()].filter((path) => this.sessionOf(path) !== undefined);
  }

  /** Returns the session that last changed a file, or undefined. A visible file must still contain the session's changes. */
  sessionOf(path: string): string | undefined {
    const shown = this.shown.get(path);
    return shown === undefined ? this.candidates.get(path)?.[0] : (shown.sessionId ?? undefined);
  }

  hunksOf(path: string): readonly ReviewHunk[] {
    return this.shown.get(path)?.hunks ?? [];
  }

  /** Refreshes the files. If another refresh starts meanwhile, only the later result is used. */
  async refresh(): Promise<void> {
    this.refreshCount += 1;
    const current = this.refreshCount;
    try {
      const waiting = await this.sources.waitingElsewhere();
      const candidates = new Map<string, string[]>();
      for (const { path, sessionId } of waiting) candidates.set(path, [...(candidates.get(path) ?? []), sessionId]);
      const shown = await this.shownFiles(candidates);
      if (current !== this.refreshCount) return;
      [this.candidates, this.shown] = [candidates, shown];
      this.onChange();
    } catch (error) {
      this.logger.warn('Could not find out which files wait in other chats', error);
    }
  }

  /** Returns true if another chat has pending changes in a file. The file may no longer contain them. */
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

  private async shownFiles(candidates: ReadonlyMap<string, readonly string[]>): Promise<ReadonlyMap<string, ShownFile>> {
    const found = new Map<string, ShownFile>();
    for (const path of this.editor.visible()) {
      const sessionIds = candidates.get(path);
      if (sessionIds !== undefined) found.set(path, await this.shownFile(path, sessionIds));
    }
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
