import type { Clock } from '../../utils/clock';
import { DisposableStore, type Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { movedHunks } from './hunks';
import type { ReviewEditor, TextChanged } from './reviewPorts';
import { reviewedFile, type ReviewedFile } from './reviewSessionBuilder';
import type { FileReviewState, HunkStats } from './reviewTypes';

/** Milliseconds without typing after which hunks are recomputed. Until then, the hunks move with the text. */
const typingPause = 150;

/** Stores the files under review, with the current positions of their hunks. */
export class ReviewedFiles implements Disposable {
  private readonly store = new DisposableStore();
  readonly hunksChanged = this.emitter<{ path: string }>();
  readonly stats = this.emitter<HunkStats>();
  readonly resolved = this.emitter<{ sessionId: string; path: string }>();
  private files = new Map<string, ReviewedFile>();
  private sessionId: string | null = null;
  private readonly pauses = new Map<string, AbortController>();

  constructor(
    private readonly editor: ReviewEditor,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Called when shown hunks change or move. */
    private readonly onShown: () => void,
  ) {
    this.store.add(editor.onDidChangeText((event) => this.followText(event)));
  }

  get states(): FileReviewState[] {
    return [...this.files.values()].map(({ state }) => state);
  }

  get(path: string): FileReviewState | undefined {
    return this.files.get(path)?.state;
  }

  /** Replaces all shown files with the files of a session. */
  showAll(sessionId: string, files: ReadonlyMap<string, ReviewedFile>): void {
    this.sessionId = sessionId;
    this.show(new Map(files), true);
  }

  /** Updates some files in place. Undefined means that nothing is pending in a file. */
  showSome(some: ReadonlyMap<string, ReviewedFile | undefined>): void {
    const files = new Map(this.files);
    for (const [path, file] of some) {
      if (file === undefined) files.delete(path);
      else files.set(path, file);
    }
    this.show(files, true);
  }

  clear(): void {
    this.sessionId = null;
    for (const pause of this.pauses.values()) pause.abort();
    this.pauses.clear();
    this.show(new Map(), false);
  }

  async dispose(): Promise<void> {
    this.clear();
    await this.store.dispose();
  }

  /** Shows these files. With `isAnswered`, missing files are reported as resolved. */
  private show(files: Map<string, ReviewedFile>, isAnswered: boolean): void {
    const before = this.files;
    this.files = files;
    for (const [path, { state }] of before) {
      if (files.has(path)) continue;
      this.hunksChanged.fire({ path });
      if (!isAnswered || this.sessionId === null) continue;
      this.stats.fire({ sessionId: this.sessionId, path: state.path, additions: 0, deletions: 0, hunks: 0 });
      this.resolved.fire({ sessionId: this.sessionId, path });
    }
    for (const [path, { state }] of files) this.fireChanges(path, before.get(path)?.state, state);
    this.onShown();
  }

  private fireChanges(path: string, before: FileReviewState | undefined, state: FileReviewState): void {
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(state)) return;
    this.hunksChanged.fire({ path });
    if (before !== undefined && hasSameHunks(before, state)) return;
    const { additions, deletions, hunks } = state;
    if (this.sessionId !== null) {
      this.stats.fire({ sessionId: this.sessionId, path, additions, deletions, hunks: hunks.length });
    }
  }

  /** Moves hunks with the text immediately, and recomputes them when typing pauses. */
  private followText({ path, changes, version }: TextChanged): void {
    const file = this.files.get(path);
    if (file === undefined || file.state.level === 'file') return;
    const hunks = movedHunks(file.state.hunks, changes);
    this.files.set(path, { ...file, state: { ...file.state, hunks }, version });
    if (hunks.some((hunk, index) => hunk !== file.state.hunks[index])) this.hunksChanged.fire({ path });
    this.background(this.recompute(path));
  }

  private async recompute(path: string): Promise<void> {
    this.pauses.get(path)?.abort();
    const pause = new AbortController();
    this.pauses.set(path, pause);
    await this.clock.sleep(typingPause, pause.signal);
    this.pauses.delete(path);
    const file = this.files.get(path);
    if (file === undefined) return;
    const state = reviewedFile(file.change, this.editor);
    // Do not remove a file without hunks: the next key press may restore its last hunk.
    this.files.set(path, state);
    this.fireChanges(path, file.state, state.state);
    this.onShown();
  }

  private background(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!isCancelled(error)) this.logger.error('Could not look at a file under review', error);
    });
  }

  private emitter<T>(): Emitter<T> {
    return this.store.add(new Emitter<T>((error) => this.logger.error('A listener of the review failed', error)));
  }
}

/** Returns true if both states have the same hunks to keep or undo. `onDidChangeHunks` reports moves and text changes. */
function hasSameHunks(one: FileReviewState, other: FileReviewState): boolean {
  const decidedParts = ({ additions, deletions, level, turns, hunks }: FileReviewState) =>
    JSON.stringify([additions, deletions, level, turns, hunks.map(({ id, turn }) => [id, turn])]);
  return decidedParts(one) === decidedParts(other);
}
