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
  /** Returns true if a folder of the window contains the file. */
  isInWindow: (path: string) => boolean;
}

/** Maximum number of files without an editor to compare. Further files count as changed even if no change remains in them. */
const maxHidden = 200;

/** Compared file, with the last chat whose changes remain in it. The id is null if no chat's changes remain. */
interface FileOfChats {
  sessionId: string | null;
  /** Empty if no editor shows the file. */
  hunks: readonly ReviewHunk[];
}

/** Tracks the files in which changes of other chats remain, and the hunks in files that are visible in an editor. */
export class OtherChats implements Disposable {
  /** Sessions that changed each file. The session with the last change is first. */
  private candidates: ReadonlyMap<string, readonly string[]> = new Map();
  private compared: ReadonlyMap<string, FileOfChats> = new Map();
  /** True until files without an editor are compared. */
  private isHiddenDue = true;
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
    return [...this.candidates.keys()].filter((path) => this.findSession(path) !== undefined);
  }

  /**
   * Returns the session that last changed a file, or undefined. If
   * the file was compared, it still contains changes by that session.
   */
  findSession(path: string): string | undefined {
    const compared = this.compared.get(path);
    return compared === undefined ? this.candidates.get(path)?.[0] : (compared.sessionId ?? undefined);
  }

  listHunks(path: string): readonly ReviewHunk[] {
    return this.compared.get(path)?.hunks ?? [];
  }

  /** Refreshes the files. If another refresh starts in the meantime, only the later result is used. */
  refresh(): Promise<void> {
    this.isHiddenDue = true;
    return this.refreshVisible();
  }

  /** Refreshes the list of files, but does not compare files without an editor again. */
  async refreshVisible(): Promise<void> {
    this.refreshCount += 1;
    const current = this.refreshCount;
    try {
      const waiting = await this.sources.waitingElsewhere();
      const candidates = new Map<string, string[]>();
      for (const { path, sessionId } of waiting) candidates.set(path, [...(candidates.get(path) ?? []), sessionId]);
      const visible = await this.visibleFiles(candidates);
      const compared = new Map([...(await this.hiddenFiles(candidates, current)), ...visible]);
      if (current !== this.refreshCount) return;
      this.candidates = candidates;
      this.compared = compared;
      this.isHiddenDue = false;
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
    if (this.editor.visible().some((path) => this.isWaiting(path))) void this.refreshVisible();
  }

  dispose(): void {
    this.refreshCount += 1;
  }

  private async visibleFiles(candidates: ReadonlyMap<string, readonly string[]>): Promise<Map<string, FileOfChats>> {
    const found = new Map<string, FileOfChats>();
    for (const path of this.editor.visible()) {
      const sessionIds = candidates.get(path);
      if (sessionIds !== undefined) found.set(path, await this.visibleFile(path, sessionIds));
    }
    return found;
  }

  private async visibleFile(path: string, sessionIds: readonly string[]): Promise<FileOfChats> {
    for (const sessionId of sessionIds) {
      const [change] = await this.sources.compared(sessionId, new Set([path]));
      if (change !== undefined) return { sessionId, hunks: reviewedFile(change, this.editor).state.hunks };
    }
    return { sessionId: null, hunks: [] };
  }

  /** Returns the results of earlier comparisons that are still valid for the candidates. */
  private knownFiles(candidates: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, FileOfChats> {
    const found = new Map<string, FileOfChats>();
    for (const [path, { sessionId }] of this.compared) {
      const sessionIds = candidates.get(path) ?? [];
      if (sessionId === null || sessionIds.includes(sessionId)) found.set(path, { sessionId, hunks: [] });
    }
    return found;
  }

  /** Stops early if a newer refresh than `current` has started. */
  private async hiddenFiles(
    candidates: ReadonlyMap<string, readonly string[]>,
    current: number,
  ): Promise<ReadonlyMap<string, FileOfChats>> {
    if (!this.isHiddenDue) return this.knownFiles(candidates);
    const visible = new Set(this.editor.visible());
    const hidden = [...candidates.keys()]
      .filter((path) => !visible.has(path) && this.sources.isInWindow(path))
      .slice(0, maxHidden);
    const found = new Map<string, FileOfChats>(hidden.map((path) => [path, { sessionId: null, hunks: [] }]));
    for (const sessionId of new Set(hidden.flatMap((path) => candidates.get(path) ?? []))) {
      if (current !== this.refreshCount) break;
      const ofSession = hidden.filter((path) => candidates.get(path)?.includes(sessionId));
      const remaining = new Set((await this.sources.compared(sessionId, new Set(ofSession))).map(({ path }) => path));
      for (const path of ofSession) {
        // The session with the last change comes first.
        const order = candidates.get(path) ?? [];
        const known = found.get(path)?.sessionId ?? null;
        const isLater = known === null || order.indexOf(sessionId) < order.indexOf(known);
        if (remaining.has(path) && isLater) found.set(path, { sessionId, hunks: [] });
      }
    }
    return found;
  }
}
