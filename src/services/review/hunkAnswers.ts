import type { HunkAnswer, Resolution, SnapshotState } from '../database/log/answers';
import type { FileStep, PlannedChange } from '../database/sessions/fileOperations';
import { changedJustNow, isSameText, fileMode, type CurrentFile, type FilesOnDisk, type TargetState } from '../files/fileOnDisk';
import type { EntryData } from '../../protocol/entries';
import { phrase } from '../../utils/l10n';
import { editedBytes, undoneBytes } from '../../utils/text/editedBytes';
import { applyEdits, type LineEdit } from '../../utils/text/lineEdits';
import { keepEdits, cutChange, type StandingChange } from '../../utils/text/weave/standingChanges';
import { textChanges } from '../../utils/text/textChanges';
import { plainLineEnds } from '../../utils/text/textFile';
import type { ComparedFile } from './changedFile';
import { undoneMode } from './history/fileHistory';
import type { FileHunk } from './fileHunks';
import { linesWithout, undoneOverEdits } from './mergedTexts';
import { findOrigin, toRows, type BasedChange, type PendingFiles } from './pendingFiles';
import type { HunkEditor, ReviewQuestions } from './reviewPorts';
import { ChangesError, type HunkChoice } from './reviewTypes';
import type { WholeUndo } from './wholeUndo';
import { cutHead } from '../../types/cutText';

type Texts = NonNullable<ComparedFile['texts']>;

interface HunkParts {
  pending: PendingFiles;
  files: FilesOnDisk;
  questions: ReviewQuestions;
  whole: WholeUndo;
}

/** File with hunks to keep or undo, in its current state. */
export interface ChosenFile {
  change: BasedChange;
  current: CurrentFile;
  /** Texts of the file; null if it is kept or undone as a whole. */
  texts: Texts | null;
  hunks: readonly { hunk: FileHunk; part: StandingChange }[];
  /** Number of all hunks in the file. */
  count: number;
}

/** Limits for a log entry: number of hunks, and characters per line. */
const maxNamed = 50;
const maxText = 100;

/** Plans to keep or undo hunks, or some of their lines, in a session's files. */
export class HunkAnswers {
  constructor(private readonly parts: HunkParts) {}

  /** Finds the chosen hunks. Throws `ChangesError` `hunkGone` if a hunk no longer exists. */
  async choose(sessionId: string, choices: readonly HunkChoice[]): Promise<ChosenFile[]> {
    const { pending, files } = this.parts;
    const paths = choices.map(({ path }) => path);
    const changes = await pending.wanted(sessionId, paths);
    const chosen: ChosenFile[] = [];
    for (const { path, ids, lines } of choices) {
      const change = changes.find(({ file }) => file.path === path);
      if (change === undefined) throw gone();
      const current = await files.read(path, change.file.shown);
      const compared = await pending.compare(change, current);
      if (compared === undefined) throw gone();
      const hunks = (ids ?? []).map((id) => chooseHunk(compared.hunks, id, lines));
      chosen.push({ change, current, texts: ids && compared.texts, hunks, count: compared.hunks.length });
    }
    return chosen;
  }

  /**
   * Chooses the hunks of a file that others have not rewritten, if the user must resolve
   * the other hunks. Returns undefined if the file does not have both kinds of hunks.
   */
  async chooseUncontested(change: BasedChange): Promise<ChosenFile | undefined> {
    const { pending, files } = this.parts;
    const current = await files.read(change.file.path, change.file.shown);
    const compared = await pending.compare(change, current);
    const all = compared?.hunks ?? [];
    const hunks = all.filter((hunk) => !hunk.change.isContested).map((hunk) => ({ hunk, part: hunk.change }));
    const isPart = hunks.length > 0 && hunks.length < all.length && findOrigin(change) === undefined;
    return isPart && compared?.texts ? { change, current, texts: compared.texts, hunks, count: all.length } : undefined;
  }

  /** Plans to keep hunks, which become part of the base. */
  async planKeep(chosen: readonly ChosenFile[]): Promise<Resolution> {
    const { pending } = this.parts;
    const hunks: HunkAnswer[] = [];
    const rows: Resolution['rows'][number][] = [];
    for (const file of chosen) {
      const { change, current, texts } = file;
      if (texts !== null) {
        const { base: from } = change;
        const edits = keepEdits(texts.now, listParts(file));
        const was = (await pending.load(from))?.bytes ?? Buffer.alloc(0);
        const to = await pending.store({ bytes: editedBytes(was, edits), mode: from?.mode ?? fileMode(current) });
        hunks.push({ action: 'keep', snapshotId: lastRow(change), from, to });
        if (!isDone(file)) continue;
      }
      rows.push(...toRows(change));
    }
    const paths = [...new Set(chosen.map(({ change }) => change.file.shown))];
    return { status: 'kept', rows, hunks, entry: { type: 'review', data: { ...createReviewData('keep', chosen), paths } } };
  }

  /**
   * Plans to undo hunks of a file. If the file is open in `editor`, edits its text immediately. Keeps edits by others. Returns
   * undefined if the user merges rewritten lines or chose to skip the file.
   */
  async planUndo(file: ChosenFile, editor: HunkEditor): Promise<PlannedChange | undefined> {
    const { pending, files, whole } = this.parts;
    const { change, current, texts } = file;
    if (texts === null) return whole.plan(change);
    const parts = listParts(file);
    if (parts.some(({ isContested }) => isContested)) return this.merge(file, texts);
    const edits = texts.weave.standing(texts.author, texts.now).undoEdits(parts);
    const lines = applyEdits(texts.now, edits);
    if (change.base === null && lines.length === 1 && lines[0] === '') return whole.plan(change);
    const { path, shown } = change.file;
    const from = await pending.storeCurrent(current);
    const restoredState = await this.restoredState(file, edits);
    const plan = (to: SnapshotState | null, steps: FileStep[], isSaved = true): PlannedChange => {
      const rows = isSaved && isDone(file) ? toRows(change, from) : [];
      return { shown, steps, rows, hunks: [{ action: 'undo', snapshotId: lastRow(change), from, to }] };
    };
    if (current.state?.document === undefined || editor.document(path) === undefined) {
      const like = (await pending.load(change.base))?.bytes;
      const bytes = current.state?.bytes ?? Buffer.alloc(0);
      const to = await pending.store(restoredState ?? { bytes: editedBytes(bytes, edits, like), mode: fileMode(current) });
      return plan(to, [{ path, shown, from: current.hash, to }]);
    }
    await editText(editor, change.file, texts.now, edits);
    const after = await files.read(path, shown);
    const isSaved = after.state?.document?.isDirty !== true;
    // An edit in the editor changes neither line endings nor the mode. Keep the formatting from the save.
    if (!isSaved || restoredState === null || after.state === null || !isSameText(after.state.bytes, restoredState.bytes))
      return plan(await pending.storeCurrent(after), [], isSaved);
    const to = await pending.store(restoredState);
    return plan(to, [{ path, shown, from: after.hash, to }]);
  }

  /** Returns the file without the agent's changes, with its old line endings and mode. Returns null if some changes remain. */
  private async restoredState(file: ChosenFile, edits: readonly LineEdit[]): Promise<TargetState> {
    const { pending } = this.parts;
    const { change, current } = file;
    const before = await pending.load(change.base);
    const agents = await pending.load(change.file.left ?? null);
    if (!before || !agents || !current.state || !isAll(file)) return null;
    const bytes = undoneBytes({ before: before.bytes, left: agents.bytes, now: current.state.bytes }, edits);
    return { bytes, mode: undoneMode(before, agents, fileMode(current)) };
  }

  /** Opens a merge editor. Throws if this is not possible. */
  private async merge({ change, hunks }: ChosenFile, { weave, author, now }: Texts): Promise<undefined> {
    const { path, shown } = change.file;
    const isChosen = (start: number, end: number) => hunks.some(({ part }) => part.baseStart <= end && start <= part.baseEnd);
    const undone = undoneOverEdits({ base: weave.text(), now, before: linesWithout(weave, author, isChosen) });
    const texts = { now: now.join('\n'), before: undone.join('\n') };
    if (await this.parts.questions.merge({ path, shown, why: 'undo', ...texts })) return undefined;
    throw new ChangesError(
      'conflict',
      phrase('You and the agent changed the same lines in {0}. Edit these lines manually, or undo the whole file.', shown),
    );
  }
}

/** Returns the log entry of a decision, without file names. */
export function createReviewData(action: 'keep' | 'undo', files: readonly ChosenFile[]): Omit<EntryData<'review'>, 'paths'> {
  const named = files.flatMap(({ change, hunks }) =>
    hunks.map(({ hunk: { id, old, written }, part: { start, lines, baseStart, baseEnd } }) => {
      const text = [...written, ...old].find((line) => line.trim() !== '') ?? '';
      const counts = { additions: lines.length, deletions: baseEnd - baseStart };
      return { path: change.file.shown, id, line: start + 1, ...counts, text: cutHead(text.trim(), maxText) };
    }),
  );
  return { action, scope: 'hunk', hunks: named.slice(0, maxNamed) };
}

/** Edits the text in the editor. Throws `FileError` `changed` if the text has changed. */
async function editText(
  editor: HunkEditor,
  { path, shown }: BasedChange['file'],
  now: readonly string[],
  edits: readonly LineEdit[],
): Promise<void> {
  const document = editor.document(path);
  const isSame = document !== undefined && plainLineEnds(document.text) === now.join('\n');
  if (!isSame || !(await editor.edit(path, document.version, textChanges(now, edits)))) throw changedJustNow({ shown });
}

/** Throws `hunkGone`. */
function chooseHunk(
  hunks: readonly FileHunk[],
  id: string,
  lines: HunkChoice['lines'],
): { hunk: FileHunk; part: StandingChange } {
  const hunk = hunks.find((one) => one.id === id);
  const part = hunk && (lines === undefined ? hunk.change : cutChange(hunk.change, lines.start, lines.end));
  if (hunk === undefined || part === undefined) throw gone();
  return { hunk, part };
}

function gone(): ChangesError {
  return new ChangesError('hunkGone', phrase('This change no longer exists in the file, so nothing was done.'));
}

/** Returns the parts in text order. */
function listParts({ hunks }: ChosenFile): StandingChange[] {
  return hunks.map(({ part }) => part).sort((one, other) => one.baseStart - other.baseStart || one.start - other.start);
}

/** Returns true if no change of the file stays pending after these hunks. A renamed file is kept or undone as a whole. */
function isDone(file: ChosenFile): boolean {
  return findOrigin(file.change) === undefined && isAll(file);
}

/** Returns true if the chosen parts include all changes of the file. */
function isAll({ hunks, count }: ChosenFile): boolean {
  const isWhole = ({ hunk, part }: ChosenFile['hunks'][number]) =>
    part.lines.length === hunk.change.lines.length &&
    part.baseEnd - part.baseStart === hunk.change.baseEnd - hunk.change.baseStart;
  return hunks.length === count && hunks.every(isWhole);
}

function lastRow({ file }: BasedChange): number {
  return file.rows.at(-1)?.id ?? 0;
}
