import { chmod, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noWriteNotes, type WriteNotes } from './unfinishedWrites';
import { decodeText, plainLineEnds } from '../../utils/text/textFile';
import { createAtomically, removeDurably, replaceAtomically } from './atomicWrite';
import { FileError } from './fileError';
import { isUnchanged, readFileState, type ReadFileState } from './fileState';
import { assertNoLink, assertReal, inNewFolders } from './newFolders';
import { replaceExactly, type OpenFiles } from './workspacePorts';
import { phrase } from '../../utils/l10n';
import { sha256Hex } from '../../utils/sha256';

/** Current state of a file, including unsaved text in an editor. */
export interface CurrentFile {
  path: string;
  shown: string;
  /** State of the file; null if it does not exist. */
  state: ReadFileState | null;
  /** SHA-256 of the bytes; null if the file does not exist. */
  hash: string | null;
}

/** Target state of a file; null deletes it. */
export type TargetState = { bytes: Buffer; mode: number | null } | null;

/** Records folders that were created for files. */
interface CreatedFolders {
  note(made: readonly string[]): Promise<void>;
  /** Removes the empty parent folders of deleted files, if these folders were created for files. */
  tidyAbove(files: readonly string[]): Promise<void>;
}

/** Used when created folders are not recorded. */
const noFolders: CreatedFolders = { note: () => Promise.resolve(), tidyAbove: () => Promise.resolve() };

/** Reads and writes files outside of tool calls, for undo. */
export class FilesOnDisk {
  constructor(
    private readonly open: OpenFiles,
    private readonly notes: WriteNotes = noWriteNotes,
    private readonly folders: CreatedFolders = noFolders,
  ) {}

  /** Removes the empty parent folders of deleted files, if these folders were created for files. */
  tidyAbove(files: readonly string[]): Promise<void> {
    return this.folders.tidyAbove(files);
  }

  /** Returns an id of the file or link at a path. All names of a file have the same id. Returns null if nothing exists. */
  identityAt(path: string): Promise<string | null> {
    return lstat(path, { bigint: true }).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => null,
    );
  }

  /**
   * Reads a file. Throws `FileError` if it is not regular or too large. Throws
   * `PathError` if the path or one of its parents is a link. Throws system errors.
   */
  async read(path: string, shown: string): Promise<CurrentFile> {
    // If the path is a link, its target is not the file that was changed.
    await assertNoLink(path);
    try {
      const state = await readFileState({ real: path, shown }, this.open);
      return { path, shown, state, hash: sha256Hex(state.bytes) };
    } catch (error) {
      if (error instanceof FileError && error.reason === 'missing') return { path, shown, state: null, hash: null };
      throw error;
    }
  }

  /**
   * Changes a file to a state, byte for byte. If the file has changed since it was read, throws `FileError` `changed` and does
   * not change it. Unsaved text is replaced in the editor and saved.
   */
  async bringTo(current: CurrentFile, wanted: TargetState): Promise<void> {
    const { path, state } = current;
    if (wanted === null && state === null) return;
    await (wanted === null || state !== null ? assertStillReal(path) : undefined);
    if (state === null) {
      if (wanted !== null) await this.create(current, wanted);
    } else if (state.document?.isDirty === true) {
      await throughEditor(current, state.document, wanted);
      if (wanted !== null) await this.restoreForm(current, wanted);
    } else if (wanted === null) {
      if (!(await this.isUntouched(state))) throw changedJustNow(current);
      await removeDurably(path);
    } else await this.replace(current, state, wanted);
  }

  /** Sets the mode of a file whose content is already correct. */
  async bringToMode(current: CurrentFile, mode: number | null): Promise<void> {
    const { path, state } = current;
    if (state === null || mode === null || (state.stats.mode & 0o7777) === mode) return;
    await assertStillReal(path);
    // Replace the file, because its other hard links must keep their mode.
    if ((await lstat(path)).nlink > 1) await this.replace(current, state, { bytes: state.bytes, mode });
    else await chmod(path, mode);
  }

  /** Restores the line endings and mode of a file that an editor has saved. Keeps the formatting on save. */
  private async restoreForm({ path, shown }: CurrentFile, wanted: NonNullable<TargetState>): Promise<void> {
    const saved = await this.read(path, shown);
    if (saved.state === null || saved.state.document?.isDirty === true || !isSameText(saved.state.bytes, wanted.bytes)) return;
    if (saved.state.bytes.equals(wanted.bytes)) await this.bringToMode(saved, wanted.mode);
    else await this.bringTo(saved, wanted);
  }

  private async replace(current: CurrentFile, state: ReadFileState, { bytes, mode }: NonNullable<TargetState>): Promise<void> {
    const owner = { ...state.stats, mode: mode ?? state.stats.mode };
    const isWritten = await replaceAtomically(current.path, bytes, owner, this.notes, () => this.isUntouched(state));
    if (!isWritten) throw changedJustNow(current);
  }

  private async create({ path, shown }: CurrentFile, { bytes, mode }: NonNullable<TargetState>): Promise<void> {
    const write = () => createAtomically(path, bytes, this.notes, undefined, mode);
    const note = (made: readonly string[]) => this.folders.note(made);
    await inNewFolders(path, write, { note, taken: () => changedJustNow({ shown }) });
  }

  private async isUntouched(state: ReadFileState): Promise<boolean> {
    return (await isUnchanged(state)) && this.open.get(state.target.real)?.isDirty !== true;
  }
}

async function throughEditor(
  current: CurrentFile,
  document: NonNullable<ReadFileState['document']>,
  wanted: TargetState,
): Promise<void> {
  if (wanted === null) {
    // Save first, so that the editor has no unsaved changes of the file.
    if (!(await replaceExactly(document, document.text))) throw changedJustNow(current);
    await removeDurably(current.path);
    return;
  }
  const text = decodeText(wanted.bytes)?.text;
  if (text === undefined) {
    throw new FileError(
      'held',
      phrase('{0} has unsaved changes in an editor. Save or close the file, then try again.', current.shown),
    );
  }
  if (!(await replaceExactly(document, text))) throw changedJustNow(current);
}

/** Throws if a parent folder has been replaced with a link. */
function assertStillReal(path: string): Promise<void> {
  return assertReal(dirname(path));
}

/** Compares two texts without their line endings. */
export function isSameText(one: Buffer, other: Buffer): boolean {
  const a = decodeText(one);
  const b = decodeText(other);
  return a !== null && b !== null && plainLineEnds(a.text) === plainLineEnds(b.text);
}

export function changedJustNow({ shown }: Pick<CurrentFile, 'shown'>): FileError {
  return new FileError('changed', phrase('{0} was changed at the same moment, so nothing was written. Try again.', shown));
}

/** Returns the permission bits of a file, or null. */
export function fileMode({ state }: CurrentFile): number | null {
  return state === null ? null : state.stats.mode & 0o7777;
}
