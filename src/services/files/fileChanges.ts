import { createHash } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noWriteNotes, type WriteNotes } from './unfinishedWrites';
import { throwIfAborted } from '../../utils/errors';
import { phrase, t } from '../../utils/l10n';
import { encodeText, plainText } from '../../utils/text/textFile';
import { createAtomically, moveAtomically, removeDurably, replaceAtomically } from './atomicWrite';
import { FileError } from './fileError';
import { isUnchanged, readFileState, readTextState, type FileState, type TextState } from './fileState';
import { assertReal, inNewFolders } from './newFolders';
import type { OpenFiles } from './workspacePorts';
import type { ResolvedPath } from './workspacePaths';

/**
 * The one door through which tools change files. What stands in an editor goes before what is on the disk; nothing is
 * changed before `beforeTouch` has resolved.
 */

/** A file that is about to change. */
export interface FileTouch {
  sessionId: string;
  /** The tool call that changes it. */
  callId: string;
  /** Absolute, free of symbolic links. */
  path: string;
  /**
   * Path in the form that entries carry: workspace-relative with `/`, the folder's name first if there are several;
   * absolute outside.
   */
  shown: string;
  /** A rename touches both its ends: the old one has content, the new one has none. */
  operation: 'create' | 'modify' | 'delete' | 'rename';
  /**
   * The file as it is, byte for byte, or, where an editor holds unsaved text, as it would be if that were saved. Null where
   * there is no file yet.
   */
  before: Buffer | null;
  /** Permission bits (`0o644`); null where there is no file yet. */
  mode: number | null;
  /** Former `path`, for the new end of a rename. */
  movedFrom?: string;
}

/** Keeps what files were before a tool changes them. */
export interface TouchListener {
  /** Called and awaited before the first byte changes. When it rejects, nothing is changed and the call fails with that error. */
  beforeTouch(touch: FileTouch): Promise<void>;
  /**
   * Called with what the file is now, and its permission bits if they are known; null if there is none any more. Never rejects: what has
   * been
   * changed stays changed.
   */
  afterTouch(touch: Pick<FileTouch, 'sessionId' | 'path' | 'mode'> & { after: Buffer | null }): Promise<void>;
  /** Called with the folders that had to be made for a file, absolute, before it is there. Never rejects. */
  afterFolders(made: readonly string[]): Promise<void>;
}

export const noTouchListener: TouchListener = {
  beforeTouch: () => Promise.resolve(),
  afterTouch: () => Promise.resolve(),
  afterFolders: () => Promise.resolve(),
};

/** The call on whose behalf a file changes. */
export interface ChangeOrigin {
  readonly sessionId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called just before the first byte changes; throws when the call was stopped until then. */
  readonly beginWriting: () => void;
}

/** SHA-256 of a file's bytes before and after; null where there is no such side. */
export interface ChangedHashes {
  beforeHash: string | null;
  afterHash: string | null;
}

type Target = Pick<ResolvedPath, 'real' | 'shown'>;
interface TouchedFile {
  target: Target;
  bytes: Buffer | null;
  stats: { mode: number } | null;
  movedFrom?: string;
}

/** Failures are `FileError`s and the system's own errors; after each of them the file is as it was. */
export class FileChanges {
  constructor(
    private readonly open: OpenFiles,
    private readonly listener: TouchListener = noTouchListener,
    private readonly notes: WriteNotes = noWriteNotes,
  ) {}

  /** Reads the text of a file that is to be changed, from the editor if that holds unsaved changes. */
  async readText(target: Target): Promise<TextState> {
    return writable(await readTextState(target, this.open));
  }

  /** Reads any file, text or not, that is to be moved or removed. */
  async readFile(target: Target): Promise<FileState> {
    return writable(await readFileState(target, this.open));
  }

  /**
   * Gives a file that was read other text, with line ends as it is to have them; its encoding and mark stay. Fails with `changed`
   * when somebody else changed it since it was read. `text` is what is there in the end: the editor may format what it saves.
   */
  async write(file: TextState, text: string, origin: ChangeOrigin): Promise<ChangedHashes & { text: string }> {
    await this.notify(file, 'modify', origin);
    const beforeHash = hashOf(file.bytes);
    if (file.document) {
      origin.beginWriting();
      if (!(await file.document.replace(text))) throw changedMeanwhile(file.target);
      const after = await readTextState(file.target, this.open);
      await this.tell(file.target, after.bytes, origin);
      return { beforeHash, afterHash: hashOf(after.bytes), text: after.text };
    }
    const bytes = encodeText(text, file.format);
    await assertReal(dirname(file.target.real));
    const isWritten = await replaceAtomically(file.target.real, bytes, file.stats, this.notes, async () => {
      const isMine = await this.isUntouched(file);
      if (isMine) origin.beginWriting();
      return isMine;
    });
    if (!isWritten) throw changedMeanwhile(file.target);
    await this.tell(file.target, bytes, origin);
    return { beforeHash, afterHash: hashOf(bytes), text };
  }

  /** Makes a file with its folders; fails with `exists` when the path is taken, also by someone who was quicker. */
  async create(target: Target, text: string, origin: ChangeOrigin): Promise<ChangedHashes> {
    if (this.open.get(target.real)?.isDirty === true) throw deletedButOpen(target);
    const bytes = encodeText(text, plainText);
    await this.notify({ target, bytes: null, stats: null }, 'create', origin);
    await this.inFolder(target, async () => {
      await createAtomically(target.real, bytes, this.notes, origin.beginWriting);
      // A folder that became a link meanwhile may have led the file elsewhere: then it is taken back.
      await assertReal(dirname(target.real)).catch(async (error: unknown) => {
        await unlink(target.real);
        throw error;
      });
    });
    await this.tell(target, bytes, origin);
    return { beforeHash: null, afterHash: hashOf(bytes) };
  }

  async remove(file: FileState, origin: ChangeOrigin): Promise<ChangedHashes> {
    await this.notify(file, 'delete', origin);
    origin.beginWriting();
    await this.save(file);
    if (!file.document && !(await this.isUntouched(file))) throw changedMeanwhile(file.target);
    await assertReal(dirname(file.target.real));
    await removeDurably(file.target.real);
    await this.tell(file.target, null, origin);
    return { beforeHash: hashOf(file.bytes), afterHash: null };
  }

  /** Fails with `exists` when the new path is taken. */
  async rename(file: FileState, to: Target, origin: ChangeOrigin): Promise<ChangedHashes> {
    if (this.open.get(to.real)?.isDirty === true) throw deletedButOpen(to);
    await this.notify(file, 'rename', origin);
    const from = file.target.real;
    await this.notify({ target: to, bytes: null, stats: null, movedFrom: from }, 'rename', origin);
    origin.beginWriting();
    await this.save(file);
    await this.inFolder(to, async () => {
      await assertReal(dirname(from));
      if (this.open.get(from) === undefined) await moveAtomically(from, to.real, this.notes);
      else await this.open.rename(from, to.real);
    });
    const { bytes } = await readFileState(to, this.open);
    await this.tell(file.target, null, origin);
    await this.tell(to, bytes, origin);
    return { beforeHash: hashOf(file.bytes), afterHash: hashOf(bytes) };
  }

  private async tell({ real: path }: Target, after: Buffer | null, { sessionId }: ChangeOrigin): Promise<void> {
    const mode = after === null ? null : await modeOf(path);
    await this.listener.afterTouch({ sessionId, path, after, mode });
  }

  /** Saves text that is in an editor only before its file goes anywhere. */
  private async save(file: FileState): Promise<void> {
    if (file.document?.isDirty !== true) return;
    if (!(await file.document.replace(file.document.text))) throw changedMeanwhile(file.target);
  }

  private async notify(
    { target, bytes, stats, movedFrom }: TouchedFile,
    operation: FileTouch['operation'],
    { sessionId, callId, signal }: ChangeOrigin,
  ): Promise<void> {
    throwIfAborted(signal);
    const { real: path, shown } = target;
    const mode = stats === null ? null : stats.mode & 0o7777;
    const moved = movedFrom === undefined ? {} : { movedFrom };
    await this.listener.beforeTouch({ sessionId, callId, path, shown, operation, before: bytes, mode, ...moved });
    throwIfAborted(signal);
  }

  /** Makes the folders of a new path; none of them stays when the work fails. */
  private async inFolder(target: Target, work: () => Promise<void>): Promise<void> {
    const note = (made: readonly string[]) => this.listener.afterFolders(made);
    await inNewFolders(target.real, work, { note, taken: () => alreadyThere(target) });
  }

  /** Tells whether the disk still has what was read, and no editor anything newer. */
  private async isUntouched(file: FileState): Promise<boolean> {
    return (await isUnchanged(file)) && this.open.get(file.target.real)?.isDirty !== true;
  }
}

/** Returns the mode of a file; null if nobody can tell. */
function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode & 0o7777,
    () => null,
  );
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function changedMeanwhile({ shown }: Target): FileError {
  return new FileError(
    'changed',
    phrase('{0} was changed by somebody else meanwhile, so it was left as it is. Read it again.', shown),
  );
}

function deletedButOpen({ shown }: Target): FileError {
  const words = {
    local: t('{0} is not on the disk, but an editor holds unsaved text of that name. Save or close it, then try again.', shown),
    english: `${shown} is not on the disk, but an editor holds unsaved text of that name. Ask the user to save or close it.`,
  };
  return new FileError('held', words);
}

/** Throws if a file may not be written: replacing a file asks nobody, so it is asked here. */
function writable<T extends FileState>(file: T): T {
  if ((file.stats.mode & 0o222) !== 0) return file;
  const { shown } = file.target;
  const words = {
    local: t('{0} is read-only, so it was not changed. Make it writable, then try again.', shown),
    english: `${shown} is read-only, so it was not changed. Tell the user what you would have changed.`,
  };
  throw new FileError('readOnly', words);
}

export function alreadyThere({ shown }: Target): FileError {
  return new FileError('exists', phrase('{0} exists already, so nothing was changed. Read it, or choose another path.', shown));
}
