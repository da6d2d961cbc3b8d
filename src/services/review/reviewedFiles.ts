import type { Clock } from '../../utils/clock';
import { DisposableStore, type Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { movedHunks } from './hunks';
import type { ReviewEditor, TextChanged } from './reviewPorts';
import { reviewedFile, type ReviewedFile } from './reviewSessionBuilder';
import type { FileReviewState, HunkStats } from './reviewTypes';

/** Tells how long typing has to pause before hunks are computed again; meanwhile they move with the text. */
const typingPause = 150;

/** The files under review, with their hunks where they stand at this moment. */
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
    /** Called when something else is shown, or elsewhere. */
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

  /** Shows the files of a session in place of those before. */
  showAll(sessionId: string, files: ReadonlyMap<string, ReviewedFile>): void {
    this.sessionId = sessionId;
    this.show(new Map(files), true);
  }

  /** Shows some files as they are now, each in the place that it had; undefined: nothing of it waits. */
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

  /** `isAnswered`: files that are not there any more are resolved. */
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
    for (const [path, { state }] of files) this.tellOf(path, before.get(path)?.state, state);
    this.onShown();
  }

  private tellOf(path: string, before: FileReviewState | undefined, state: FileReviewState): void {
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(state)) return;
    this.hunksChanged.fire({ path });
    if (before !== undefined && isSameToAnswer(before, state)) return;
    const { additions, deletions, hunks } = state;
    if (this.sessionId !== null) {
      this.stats.fire({ sessionId: this.sessionId, path, additions, deletions, hunks: hunks.length });
    }
  }

  /** Moves hunks with the text at once; what they are is looked at when typing pauses. */
  private followText({ path, changes, version }: TextChanged): void {
    const file = this.files.get(path);
    if (file === undefined || file.state.level === 'file') return;
    const hunks = movedHunks(file.state.hunks, changes);
    this.files.set(path, { ...file, state: { ...file.state, hunks }, version });
    if (hunks.some((hunk, index) => hunk !== file.state.hunks[index])) this.hunksChanged.fire({ path });
    this.background(this.lookAgain(path));
  }

  private async lookAgain(path: string): Promise<void> {
    this.pauses.get(path)?.abort();
    const pause = new AbortController();
    this.pauses.set(path, pause);
    await this.clock.sleep(typingPause, pause.signal);
    this.pauses.delete(path);
    const file = this.files.get(path);
    if (file === undefined) return;
    const state = reviewedFile(file.change, this.editor);
    // A file whose last hunk somebody has typed away may have it back with the next key.
    this.files.set(path, state);
    this.tellOf(path, file.state, state.state);
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

/** Tells whether there is the same to answer in both: lines that only moved, or other words in them, are told by `onDidChangeHunks`. */
function isSameToAnswer(one: FileReviewState, other: FileReviewState): boolean {
  const answersOf = ({ additions, deletions, level, turns, hunks }: FileReviewState) =>
    JSON.stringify([additions, deletions, level, turns, hunks.map(({ id, turn }) => [id, turn])]);
  return answersOf(one) === answersOf(other);
}
