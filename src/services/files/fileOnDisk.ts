import { createHash } from 'node:crypto';
import { chmod, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noWriteNotes, type WriteNotes } from './unfinishedWrites';
import { decodeText, plainLineEnds } from '../../utils/text/textFile';
import { createAtomically, removeDurably, replaceAtomically } from './atomicWrite';
import { FileError } from './fileError';
import { isUnchanged, readFileState, type FileState } from './fileState';
import { assertNoLink, assertReal, inNewFolders } from './newFolders';
import { replaceExactly, type OpenFiles } from './workspacePorts';
import { phrase } from '../../utils/l10n';

/** A file as it is now, including unsaved text in an editor. */
export interface CurrentFile {
  path: string;
  shown: string;
  /** Null if it does not exist. */
  state: FileState | null;
  /** SHA-256 of its bytes. */
  hash: string | null;
}

/** Target state of a file; null deletes it. */
export type TargetState = { bytes: Buffer; mode: number | null } | null;

/** Records folders created for files. */
interface CreatedFolders {
  note(made: readonly string[]): Promise<void>;
  /** Removes the empty folders above deleted files that were created for files. */
  tidyAbove(files: readonly string[]): Promise<void>;
}

/** Used if created folders are not recorded. */
const noFolders: CreatedFolders = { note: () => Promise.resolve(), tidyAbove: () => Promise.resolve() };

/** Reads and writes files outside of tool calls, for undo. */
export class FilesOnDisk {
  constructor(
    private readonly open: OpenFiles,
    private readonly notes: WriteNotes = noWriteNotes,
    private readonly folders: CreatedFolders = noFolders,
  ) {}

  /** Removes the empty folders above deleted files that were created for files. */
  tidyAbove(files: readonly string[]): Promise<void> {
    return this.folders.tidyAbove(files);
  }

  /** Returns an id of what exists at a path, even a broken link. It is equal for all names of a file. Null if nothing exists. */
  identityAt(path: string): Promise<string | null> {
    return lstat(path, { bigint: true }).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => null,
    );
  }

  /** Throws `FileError` for a non-regular or too large file, `PathError` if the path is or leads through a link, and system errors. */
  async read(path: string, shown: string): Promise<CurrentFile> {
    // The target of a link is not the changed file.
    await assertNoLink(path);
    try {
      const state = await readFileState({ real: path, shown }, this.open);
      return { path, shown, state, hash: createHash('sha256').update(state.bytes).digest('hex') };
    } catch (error) {
      if (error instanceof FileError && error.reason === 'missing') return { path, shown, state: null, hash: null };
      throw error;
    }
  }

  /**
   * Brings a file to a state, byte for byte. Throws `FileError` `changed` and leaves the file as it is if it changed since it was read.
   * Unsaved text is replaced in the editor and saved.
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

  /** Sets the mode of a file that already has the wanted content. */
  async bringToMode(current: CurrentFile, mode: number | null): Promise<void> {
    const { path, state } = current;
    if (state === null || mode === null || (state.stats.mode & 0o7777) === mode) return;
    await assertStillReal(path);
    // Other hard links of the file must keep their mode.
    if ((await lstat(path)).nlink > 1) await this.replace(current, state, { bytes: state.bytes, mode });
    else await chmod(path, mode);
  }

  /** Restores line endings and mode of a file that an editor saved. Formatting on save is kept. */
  private async restoreForm({ path, shown }: CurrentFile, wanted: NonNullable<TargetState>): Promise<void> {
    const saved = await this.read(path, shown);
    if (saved.state === null || saved.state.document?.isDirty === true || !isSameText(saved.state.bytes, wanted.bytes)) return;
    if (saved.state.bytes.equals(wanted.bytes)) await this.bringToMode(saved, wanted.mode);
    else await this.bringTo(saved, wanted);
  }

  private async replace(current: CurrentFile, state: FileState, { bytes, mode }: NonNullable<TargetState>): Promise<void> {
    const owner = { ...state.stats, mode: mode ?? state.stats.mode };
    const isWritten = await replaceAtomically(current.path, bytes, owner, this.notes, () => this.isUntouched(state));
    if (!isWritten) throw changedJustNow(current);
  }

  private async create({ path, shown }: CurrentFile, { bytes, mode }: NonNullable<TargetState>): Promise<void> {
    const write = () => createAtomically(path, bytes, this.notes, undefined, mode);
    const note = (made: readonly string[]) => this.folders.note(made);
    await inNewFolders(path, write, { note, taken: () => changedJustNow({ shown }) });
  }

  private async isUntouched(state: FileState): Promise<boolean> {
    return (await isUnchanged(state)) && this.open.get(state.target.real)?.isDirty !== true;
  }
}

async function throughEditor(
  current: CurrentFile,
  document: NonNullable<FileState['document']>,
  wanted: TargetState,
): Promise<void> {
  if (wanted === null) {
    // Save first, so that the editor releases the file.
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

/** Throws if a parent folder was replaced by a link. */
function assertStillReal(path: string): Promise<void> {
  return assertReal(dirname(path));
}

/** Compares two texts without their line endings. */
export function isSameText(one: Buffer, other: Buffer): boolean {
  const [a, b] = [decodeText(one), decodeText(other)];
  return a !== null && b !== null && plainLineEnds(a.text) === plainLineEnds(b.text);
}

export function changedJustNow({ shown }: Pick<CurrentFile, 'shown'>): FileError {
  return new FileError('changed', phrase('{0} was changed at the same moment, so nothing was written. Try again.', shown));
}

/** Returns the permission bits of a file, or null. */
export function modeOf({ state }: CurrentFile): number | null {
  return state === null ? null : state.stats.mode & 0o7777;
}
