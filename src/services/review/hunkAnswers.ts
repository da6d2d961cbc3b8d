import type { HunkAnswer, Resolution, SnapshotState } from '../database/log/answers';
import type { PlannedChange } from '../database/sessions/fileOperations';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import type { EntryData } from '../../protocol/entries';
import { editedBytes, undoneBytes } from '../../utils/text/editedBytes';
import {
  applyEdits,
  keepEdits,
  partOf,
  standingChanges,
  undoEdits,
  type LineEdit,
  type StandingChange,
} from '../../utils/text/standingChanges';
import { textChanges } from '../../utils/text/textChanges';
import { plainLineEnds } from '../../utils/text/textFile';
import { phrase } from '../../utils/l10n';
import type { ComparedFile } from './changedFile';
import { type BasedChange, type ChangeReader, filesIn } from './pendingFiles';
import { ChangesError, type HunkChoice, type UndoOutcome } from './reviewTypes';
import type { FileHunk } from './fileHunks';
import { changedNow, isSameText, modeOf, type CurrentFile, type FilesOnDisk } from '../files/fileOnDisk';
import { reasonOf, type FileUndo } from './fileUndo';
import type { HunkEditor, ReviewQuestions } from './reviewPorts';
import { undoneMode } from './baseOf';

type Told = NonNullable<EntryData<'review'>['hunks']>[number];

/** Services that an answer is made with. */
export interface HunkParts {
  rows: FileSnapshots;
  reader: ChangeReader;
  files: FilesOnDisk;
  undos: FileUndo;
  questions: ReviewQuestions;
  /** Plans the undo of a file as a whole; undefined when a person decided to leave it. */
  undoWhole: (change: BasedChange) => Promise<(Pick<PlannedChange, 'steps'> & { undone?: SnapshotState | null }) | undefined>;
}

/** A file of which hunks are answered. */
interface ChosenFile {
  change: BasedChange;
  compared: ComparedFile;
  current: CurrentFile;
  /** Null: all of it. */
  chosen: { hunk: FileHunk; part: StandingChange }[] | null;
}

/** Most hunks that an entry tells of, and the characters of each line. */
const maxTold = 50;
const maxText = 100;

/** Keeps and undoes hunks, and lines of them, of the files of one session: each call is one entry, with its rows in one transaction. */
export class HunkAnswers {
  constructor(private readonly parts: HunkParts) {}

  /** Throws `ChangesError` `hunkGone`, with nothing answered, where one of the hunks does not stand any more. */
  async keep(sessionId: string, choices: readonly HunkChoice[]): Promise<void> {
    const { reader, rows } = this.parts;
    const chosen = await this.choose(sessionId, choices);
    const hunks: HunkAnswer[] = [];
    const answered: { id: number }[] = [];
    for (const file of chosen) {
      const base = file.change.base;
      if (file.chosen === null || file.compared.texts === null) {
        answered.push(...rowsOf(file.change));
        continue;
      }
      const { texts } = file.compared;
      const edits = keepEdits(texts.now, partsOf(file));
      const was = (await reader.wantedOf(base))?.bytes ?? Buffer.alloc(0);
      const to = await reader.storedAs({ bytes: editedBytes(was, edits), mode: base?.mode ?? modeOf(file.current) });
      hunks.push({ action: 'keep', snapshotId: lastRow(file.change), from: base, to });
      if (isDone(file, applyEdits(texts.base, edits), texts.now)) answered.push(...rowsOf(file.change));
    }
    const resolution: Resolution = { status: 'kept', rows: answered, hunks, entry: entryOf('keep', chosen) };
    await rows.resolve(sessionId, resolution);
  }

  /**
   * Undoes hunks: in the editor where it has the file open, else on the disk. What others have typed stays. A hunk that a person has rewritten
   * is given to them as a merge, and left.
   */
  async undo(sessionId: string, choices: readonly HunkChoice[], editor: HunkEditor): Promise<UndoOutcome> {
    const chosen = await this.choose(sessionId, choices);
    const outcome: UndoOutcome = { undone: [], left: [] };
    const changes: PlannedChange[] = [];
    const done: ChosenFile[] = [];
    for (const file of chosen.toReversed()) {
      const { shown } = file.change.file;
      try {
        const planned = await this.planUndo(file, editor);
        if (planned === undefined) outcome.left.push({ shown, reason: 'asked' });
        else {
          changes.push(planned);
          done.unshift(file);
        }
      } catch (error) {
        outcome.left.push({ shown, reason: reasonOf(error) });
      }
    }
    const { data } = entryOf('undo', done);
    await this.parts.undos.perform(sessionId, { status: 'undone', review: data, changes }, outcome);
    return outcome;
  }

  private async planUndo(file: ChosenFile, editor: HunkEditor): Promise<PlannedChange | undefined> {
    const { change, compared, current } = file;
    const { path, shown } = change.file;
    const { texts } = compared;
    if (file.chosen === null || texts === null) return this.planWhole(change);
    const chosen = partsOf(file);
    if (chosen.some(({ isContested }) => isContested)) return this.merge(file);
    const edits = undoEdits(texts.base, chosen);
    const lines = applyEdits(texts.now, edits);
    if (change.base === null && lines.length === 1 && lines[0] === '') return this.planWhole(change);
    const { reader } = this.parts;
    const from = await reader.stored(current);
    const bytes = current.state?.bytes ?? Buffer.alloc(0);
    const snapshotId = lastRow(change);
    const wanted = await this.undone(file, lines, edits);
    if (current.state?.document !== undefined && editor.document(path) !== undefined) {
      await this.edit(file, editor, edits);
      const after = await this.parts.files.read(path, shown);
      const isSaved = after.state?.document?.isDirty !== true;
      // An editor changes neither the ends of all lines nor the mode; what it formats on saving stays.
      const isAsWanted = isSaved && wanted !== null && after.state !== null && isSameText(after.state.bytes, wanted.bytes);
      const to = isAsWanted ? await reader.storedAs(wanted) : await reader.stored(after);
      const rows = isSaved && isDone(file, texts.base, lines) ? rowsOf(change, from) : [];
      const steps = isAsWanted ? [{ path, shown, from: after.hash, to }] : [];
      return { shown, steps, rows, hunks: [{ action: 'undo', snapshotId, from, to }] };
    }
    const was = (await reader.wantedOf(change.base))?.bytes ?? null;
    const to = await reader.storedAs(wanted ?? { bytes: editedBytes(bytes, edits, was), mode: modeOf(current) });
    const rows = isDone(file, texts.base, lines) ? rowsOf(change, from) : [];
    return { shown, steps: [{ path, shown, from: current.hash, to }], rows, hunks: [{ action: 'undo', snapshotId, from, to }] };
  }

  /** Returns the file without the agent's changes where none of them stands after the edits, else null: its form and mode are the agent's, too. */
  private async undone({ change, compared, current }: ChosenFile, lines: readonly string[], edits: readonly LineEdit[]) {
    const { reader } = this.parts;
    const [before, left] = [await reader.wantedOf(change.base), await reader.wantedOf(change.file.left ?? null)];
    const texts = compared.texts;
    if (!before || !left || !current.state || !texts || standingChanges(texts.base, texts.left, lines).length > 0) return null;
    const bytes = undoneBytes({ before: before.bytes, left: left.bytes, now: current.state.bytes }, edits);
    return { bytes, mode: undoneMode(before, left, modeOf(current)) };
  }

  private async planWhole(change: BasedChange): Promise<PlannedChange | undefined> {
    const planned = await this.parts.undoWhole(change);
    if (planned === undefined) return undefined;
    return { shown: change.file.shown, steps: planned.steps, rows: rowsOf(change, planned.undone) };
  }

  /** Changes the text in the editor. Throws a `FileError` `changed` where that is another by now. */
  private async edit({ change, compared }: ChosenFile, editor: HunkEditor, edits: readonly LineEdit[]): Promise<void> {
    const { path, shown } = change.file;
    const document = editor.document(path);
    const now = compared.texts?.now ?? [];
    const isSame = document !== undefined && plainLineEnds(document.text) === now.join('\n');
    if (!isSame || !(await editor.edit(path, document.version, textChanges(now, edits)))) throw changedNow({ shown });
  }

  /** Lets a person merge; throws where the editor cannot. */
  private async merge({ change, compared, chosen }: ChosenFile): Promise<undefined> {
    const { path, shown } = change.file;
    const { base, left, now } = compared.texts ?? { base: [], left: [], now: [] };
    const isChosen = (start: number, end: number) => chosen?.some(({ part }) => part.baseStart <= end && start <= part.baseEnd);
    const theirs = standingChanges(base, left, left).filter(({ baseStart, baseEnd }) => isChosen(baseStart, baseEnd));
    const before = applyEdits(left, undoEdits(base, theirs)).join('\n');
    if (await this.parts.questions.merge({ path, shown, base: left.join('\n'), now: now.join('\n'), before })) return undefined;
    throw new ChangesError(
      'conflict',
      phrase('In {0} you have changed the same lines as the agent. Change them by hand, or undo the whole file.', shown),
    );
  }

  private async choose(sessionId: string, choices: readonly HunkChoice[]): Promise<ChosenFile[]> {
    const { reader, files } = this.parts;
    const changes = await reader.wanted(
      sessionId,
      choices.map(({ path }) => path),
    );
    const chosen: ChosenFile[] = [];
    for (const { path, ids, lines } of choices) {
      const change = changes.find(({ file }) => file.path === path);
      if (change === undefined) throw gone();
      const current = await files.read(path, change.file.shown);
      const compared = await reader.compare(change, current);
      if (compared === undefined) throw gone();
      chosen.push({ change, compared, current, chosen: ids && ids.map((id) => choiceOf(compared.hunks, id, lines)) });
    }
    return chosen;
  }
}

/** Throws `hunkGone`. */
function choiceOf(hunks: readonly FileHunk[], id: string, lines: HunkChoice['lines']): { hunk: FileHunk; part: StandingChange } {
  const hunk = hunks.find((one) => one.id === id);
  const part = hunk && (lines === undefined ? hunk.change : partOf(hunk.change, lines.start, lines.end));
  if (hunk === undefined || part === undefined) throw gone();
  return { hunk, part };
}

function gone(): ChangesError {
  return new ChangesError('hunkGone', phrase('This change does not stand there any more, so nothing was done.'));
}

/** Returns the parts in the order of the text. */
function partsOf({ chosen }: ChosenFile): StandingChange[] {
  return (chosen ?? []).map(({ part }) => part).sort((one, other) => one.baseStart - other.baseStart || one.start - other.start);
}

/** Tells whether nothing of a file waits any more with that base and text. A renamed file waits as one. */
function isDone({ compared }: ChosenFile, base: readonly string[], now: readonly string[]): boolean {
  if (compared.texts === null || compared.status === 'renamed') return false;
  return standingChanges(base, compared.texts.left, now).length === 0;
}

function rowsOf(change: BasedChange, undone?: SnapshotState | null): { id: number; undone?: SnapshotState | null }[] {
  const [first, ...others] = filesIn(change).flatMap(({ rows }) => rows.map(({ id }) => ({ id })));
  if (first === undefined) return [];
  return [undone === undefined ? first : { ...first, undone }, ...others];
}

function lastRow({ file }: BasedChange): number {
  return file.rows.at(-1)?.id ?? 0;
}

function entryOf(action: 'keep' | 'undo', files: readonly ChosenFile[]): Resolution['entry'] {
  const told = files.flatMap(({ change, chosen }) =>
    (chosen ?? []).map(({ hunk, part }) => toldOf(change.file.shown, hunk, part)),
  );
  const paths = [...new Set(files.map(({ change }) => change.file.shown))];
  return { type: 'review', data: { action, scope: 'hunk', paths, hunks: told.slice(0, maxTold) } };
}

function toldOf(path: string, { id, old, written }: FileHunk, { start, lines, baseStart, baseEnd }: StandingChange): Told {
  const text = [...written, ...old].find((line) => line.trim() !== '') ?? '';
  const counts = { additions: lines.length, deletions: baseEnd - baseStart };
  return { path, id, line: start + 1, ...counts, text: text.trim().slice(0, maxText) };
}
