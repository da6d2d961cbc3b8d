import { createHash } from 'node:crypto';
import { chmod, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noWriteNotes, type WriteNotes } from './unfinishedWrites';
import { decodeText, plainLineEnds } from '../../utils/text/textFile';
import { createAtomically, removeDurably, replaceAtomically } from './atomicWrite';
import { FileError } from './fileError';
import { isUnchanged, readFileState, type FileState } from './fileState';
import { assertNoLink, assertReal, inNewFolders } from './newFolders';
import type { OpenFiles } from './workspacePorts';
import { phrase } from '../../utils/l10n';

/** A file as it is now; what an editor holds and has not saved counts as if it were. */
export interface CurrentFile {
  path: string;
  shown: string;
  /** Null where there is none. */
  state: FileState | null;
  /** SHA-256 of its bytes. */
  hash: string | null;
}

/** A state to bring a file to; null takes it away. */
export type WantedState = { bytes: Buffer; mode: number | null } | null;

/** Remembers the folders that were created for files. */
interface CreatedFolders {
  note(made: readonly string[]): Promise<void>;
  /** Removes the created folders above files that have gone, as far as they are empty. */
  tidyAbove(files: readonly string[]): Promise<void>;
}

/** Stand-in for a place where no created folders are noted. */
const noFolders: CreatedFolders = { note: () => Promise.resolve(), tidyAbove: () => Promise.resolve() };

/** Reads and writes files outside of tool calls, for an undo. */
export class FilesOnDisk {
  constructor(
    private readonly open: OpenFiles,
    private readonly notes: WriteNotes = noWriteNotes,
    private readonly folders: CreatedFolders = noFolders,
  ) {}

  /** Takes away the folders above files that have gone, as far as they were made for a file and are empty. */
  tidyAbove(files: readonly string[]): Promise<void> {
    return this.folders.tidyAbove(files);
  }

  /**
   * Returns a mark of what is at a path, even a broken link; it is the same under each of its names. Null if nothing is
   * there.
   */
  standing(path: string): Promise<string | null> {
    return lstat(path, { bigint: true }).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => null,
    );
  }

  /**
   * Throws a `FileError` for what is no regular file or too large, a `PathError` for a path that is a link by now or leads through one, and
   * the system's own errors.
   */
  async read(path: string, shown: string): Promise<CurrentFile> {
    // What is behind a link is not the file that was changed, whatever it holds.
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
   * Brings a file to another state, byte for byte, unless somebody has changed it since it was read: then it throws a `FileError`
   * `changed` and the file is as it was. Unsaved text in an editor is replaced there and saved.
   */
  async bringTo(current: CurrentFile, wanted: WantedState): Promise<void> {
    const { path, state } = current;
    if (wanted === null && state === null) return;
    await (wanted === null || state !== null ? assertStillReal(path) : undefined);
    if (state === null) {
      if (wanted !== null) await this.create(current, wanted);
    } else if (state.document?.isDirty === true) {
      await throughEditor(current, state.document, wanted);
      if (wanted !== null) await this.settleForm(current, wanted);
    } else if (wanted === null) {
      if (!(await this.isUntouched(state))) throw changedNow(current);
      await removeDurably(path);
    } else await this.replace(current, state, wanted);
  }

  /** Sets the mode of a file that has the content of the wanted state already. */
  async bringToMode(current: CurrentFile, mode: number | null): Promise<void> {
    const { path, state } = current;
    if (state === null || mode === null || (state.stats.mode & 0o7777) === mode) return;
    await assertStillReal(path);
    // The other names of a file may be somebody else's.
    if ((await lstat(path)).nlink > 1) await this.replace(current, state, { bytes: state.bytes, mode });
    else await chmod(path, mode);
  }

  /** Gives a file that an editor has saved the line ends and the mode that it was to have; what the editor formats on saving stays. */
  private async settleForm({ path, shown }: CurrentFile, wanted: NonNullable<WantedState>): Promise<void> {
    const saved = await this.read(path, shown);
    if (saved.state === null || saved.state.document?.isDirty === true || !isSameText(saved.state.bytes, wanted.bytes)) return;
    if (saved.state.bytes.equals(wanted.bytes)) await this.bringToMode(saved, wanted.mode);
    else await this.bringTo(saved, wanted);
  }

  private async replace(current: CurrentFile, state: FileState, { bytes, mode }: NonNullable<WantedState>): Promise<void> {
    const owner = { ...state.stats, mode: mode ?? state.stats.mode };
    const isWritten = await replaceAtomically(current.path, bytes, owner, this.notes, () => this.isUntouched(state));
    if (!isWritten) throw changedNow(current);
  }

  private async create({ path, shown }: CurrentFile, { bytes, mode }: NonNullable<WantedState>): Promise<void> {
    const write = () => createAtomically(path, bytes, this.notes, undefined, mode);
    const note = (made: readonly string[]) => this.folders.note(made);
    await inNewFolders(path, write, { note, taken: () => changedNow({ shown }) });
  }

  private async isUntouched(state: FileState): Promise<boolean> {
    return (await isUnchanged(state)) && this.open.get(state.target.real)?.isDirty !== true;
  }
}

async function throughEditor(
  current: CurrentFile,
  document: NonNullable<FileState['document']>,
  wanted: WantedState,
): Promise<void> {
  if (wanted === null) {
    // What was not saved goes to the disk first, so that the editor lets the file go.
    if (!(await document.replace(document.text))) throw changedNow(current);
    await removeDurably(current.path);
    return;
  }
  const text = decodeText(wanted.bytes)?.text;
  if (text === undefined) {
    throw new FileError('held', phrase('{0} has unsaved changes in an editor. Save or close it, then try again.', current.shown));
  }
  if (!(await document.replace(text))) throw changedNow(current);
}

/** Throws if a folder was replaced by a link, which would lead elsewhere. */
function assertStillReal(path: string): Promise<void> {
  return assertReal(dirname(path));
}

/** Tells whether two files have the same text, whatever the ends of its lines. */
export function isSameText(one: Buffer, other: Buffer): boolean {
  const [a, b] = [decodeText(one), decodeText(other)];
  return a !== null && b !== null && plainLineEnds(a.text) === plainLineEnds(b.text);
}

export function changedNow({ shown }: Pick<CurrentFile, 'shown'>): FileError {
  return new FileError('changed', phrase('{0} was changed at this very moment, so it was left as it is. Try again.', shown));
}

/** Returns the permission bits of a file; null where there is none. */
export function modeOf({ state }: CurrentFile): number | null {
  return state === null ? null : state.stats.mode & 0o7777;
}
