import { createHash } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noWriteNotes, type WriteNotes } from './unfinishedWrites';
import { throwIfAborted } from '../../utils/errors';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';
import { phrase, t } from '../../utils/l10n';
import { encodeText, plainText } from '../../utils/text/textFile';
import { assertEncodable } from './assertEncodable';
import { createAtomically, moveAtomically, removeDurably, replaceAtomically } from './atomicWrite';
import { FileError } from './fileError';
import { isUnchanged, readFileState, readTextState, type FileState, type TextState } from './fileState';
import { assertReal, inNewFolders } from './newFolders';
import type { OpenFiles } from './workspacePorts';
import type { ResolvedPath } from './workspacePaths';

/**
 * The only way for tools to change files. Unsaved text in editors takes precedence over the disk. Nothing changes before
 * `beforeTouch` resolves.
 */

export interface FileTouch {
  sessionId: string;
  callId: string;
  /** Absolute path without symbolic links. */
  path: string;
  /** Path in log entries: workspace-relative with `/`, preceded by the folder's name if there are several; absolute outside. */
  shown: string;
  /** A rename reports both paths: the old one with content, the new one without. */
  operation: 'create' | 'modify' | 'delete' | 'rename';
  /** Bytes of the file, or of its unsaved text as saving would write it. Null for a missing file. */
  before: Buffer | null;
  /** Permission bits (`0o644`); null for a missing file. */
  mode: number | null;
  /** Former `path`, for the new path of a rename. */
  movedFrom?: string;
}

/** Stores files before a tool changes them. */
export interface TouchListener {
  /** Awaited before the first byte changes. If it rejects, nothing is changed and the call fails with that error. */
  beforeTouch(touch: FileTouch): Promise<void>;
  /** Called with the new content, and permission bits if known; null after a deletion. Never rejects, because the change is done. */
  afterTouch(touch: Pick<FileTouch, 'sessionId' | 'path' | 'mode'> & { after: Buffer | null }): Promise<void>;
  /** Called with folders (absolute) created for a file, before the file exists. Never rejects. */
  afterFolders(made: readonly string[]): Promise<void>;
}

export const noTouchListener: TouchListener = {
  beforeTouch: () => Promise.resolve(),
  afterTouch: () => Promise.resolve(),
  afterFolders: () => Promise.resolve(),
};

/** The tool call that changes a file. */
export interface ChangeOrigin {
  readonly sessionId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called just before the first byte changes. Throws if the call was cancelled. */
  readonly beginWriting: () => void;
}

/** SHA-256 of the bytes before and after; null for a missing file. */
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

/** Throws `FileError` and system errors. After an error, the file is unchanged. */
export class FileChanges {
  constructor(
    private readonly open: OpenFiles,
    private readonly listener: TouchListener = noTouchListener,
    private readonly notes: WriteNotes = noWriteNotes,
  ) {}

  /** Reads the text of a file to change, including unsaved changes. */
  async readText(target: Target): Promise<TextState> {
    return assertWritable(await readTextState(target, this.open));
  }

  /** Reads any file to move or delete. */
  async readFile(target: Target): Promise<FileState> {
    return assertWritable(await readFileState(target, this.open));
  }

  /**
   * Replaces the text of a file, with its final line endings. Keeps encoding and byte order mark. Fails with `changed` if the file changed
   * since it was read, and with `notEncodable` if text would be lost. `former` is text that the file may get back, even if damaged. Returns the resulting
   * text, because the editor may format on save.
   */
  async write(
    file: TextState,
    text: string,
    origin: ChangeOrigin,
    former = file.text,
  ): Promise<ChangedHashes & { text: string }> {
    await assertEncodable(file, text, former);
    await this.notifyBefore(file, 'modify', origin);
    const beforeHash = hashOf(file.bytes);
    if (file.document) {
      origin.beginWriting();
      if (!(await file.document.replace(text))) throw changedMeanwhile(file.target);
      const after = await readTextState(file.target, this.open);
      await this.notifyAfter(file.target, after.bytes, origin);
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
    await this.notifyAfter(file.target, bytes, origin);
    return { beforeHash, afterHash: hashOf(bytes), text };
  }

  /** Creates a file, with text in UTF-8 or with bytes, and its folders. Fails with `exists` if the path exists, even if it was just created. */
  async create(target: Target, content: string | Buffer, origin: ChangeOrigin): Promise<ChangedHashes> {
    if (this.open.get(target.real)?.isDirty === true) throw deletedButOpen(target);
    const bytes = typeof content === 'string' ? encodeText(content, plainText) : content;
    await this.notifyBefore({ target, bytes: null, stats: null }, 'create', origin);
    await this.inFolder(target, async () => {
      await createAtomically(target.real, bytes, this.notes, origin.beginWriting);
      // If a parent folder has become a link, the file may be elsewhere: delete it.
      await assertReal(dirname(target.real)).catch(async (error: unknown) => {
        await retryWhileInUse(() => unlink(target.real));
        throw error;
      });
    });
    await this.notifyAfter(target, bytes, origin);
    return { beforeHash: null, afterHash: hashOf(bytes) };
  }

  async remove(file: FileState, origin: ChangeOrigin): Promise<ChangedHashes> {
    await this.notifyBefore(file, 'delete', origin);
    origin.beginWriting();
    await this.saveUnsaved(file);
    if (!file.document && !(await this.isUntouched(file))) throw changedMeanwhile(file.target);
    await assertReal(dirname(file.target.real));
    await removeDurably(file.target.real);
    await this.notifyAfter(file.target, null, origin);
    return { beforeHash: hashOf(file.bytes), afterHash: null };
  }

  /** Fails with `exists` if the new path exists. */
  async rename(file: FileState, to: Target, origin: ChangeOrigin): Promise<ChangedHashes> {
    if (this.open.get(to.real)?.isDirty === true) throw deletedButOpen(to);
    await this.notifyBefore(file, 'rename', origin);
    const from = file.target.real;
    await this.notifyBefore({ target: to, bytes: null, stats: null, movedFrom: from }, 'rename', origin);
    origin.beginWriting();
    await this.saveUnsaved(file);
    await this.inFolder(to, async () => {
      await assertReal(dirname(from));
      if (this.open.get(from) === undefined) await moveAtomically(from, to.real, this.notes);
      else await this.open.rename(from, to.real);
    });
    const { bytes } = await readFileState(to, this.open);
    await this.notifyAfter(file.target, null, origin);
    await this.notifyAfter(to, bytes, origin);
    return { beforeHash: hashOf(file.bytes), afterHash: hashOf(bytes) };
  }

  private async notifyAfter({ real: path }: Target, after: Buffer | null, { sessionId }: ChangeOrigin): Promise<void> {
    const mode = after === null ? null : await modeOf(path);
    await this.listener.afterTouch({ sessionId, path, after, mode });
  }

  /** Saves unsaved text before its file is moved or deleted. */
  private async saveUnsaved(file: FileState): Promise<void> {
    if (file.document?.isDirty !== true) return;
    if (!(await file.document.replace(file.document.text))) throw changedMeanwhile(file.target);
  }

  private async notifyBefore(
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

  /** Creates the folders of a new path, and removes them if the work fails. */
  private async inFolder(target: Target, work: () => Promise<void>): Promise<void> {
    const note = (made: readonly string[]) => this.listener.afterFolders(made);
    await inNewFolders(target.real, work, { note, taken: () => alreadyThere(target) });
  }

  /** Returns true if the file on disk is unchanged and no editor has newer text. */
  private async isUntouched(file: FileState): Promise<boolean> {
    return (await isUnchanged(file)) && this.open.get(file.target.real)?.isDirty !== true;
  }
}

/** Returns null if the mode cannot be read. */
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
  return new FileError('changed', phrase('{0} was changed in the meantime, so nothing was written. Read the file again.', shown));
}

function deletedButOpen({ shown }: Target): FileError {
  const words = {
    local: t(
      '{0} does not exist on disk, but an editor with this name has unsaved changes. Save or close the editor, then try again.',
      shown,
    ),
    english: `${shown} is not on the disk, but an editor holds unsaved text of that name. Ask the user to save or close it.`,
  };
  return new FileError('held', words);
}

/** Throws for a read-only file, because replacing it would succeed anyway. */
function assertWritable<T extends FileState>(file: T): T {
  if ((file.stats.mode & 0o222) !== 0) return file;
  const { shown } = file.target;
  const words = {
    local: t('{0} is read-only, so it was not changed. Make the file writable, then try again.', shown),
    english: `${shown} is read-only, so it was not changed. Tell the user what you would have changed.`,
  };
  throw new FileError('readOnly', words);
}

export function alreadyThere({ shown }: Target): FileError {
  return new FileError(
    'exists',
    phrase('{0} already exists, so nothing was changed. Read the file, or choose another path.', shown),
  );
}
