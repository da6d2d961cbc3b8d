import { lstat, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { noWriteNotes, type WriteNotes } from './unfinishedWrites';
import { AppError, throwIfAborted } from '../../utils/errors';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';
import { rebasedText } from '../../utils/text/rebasedText';
import { encodeText, plainText } from '../../utils/text/textFile';
import { assertEncodable } from './assertEncodable';
import { createAtomically, moveAtomically, removeDurably, replaceAtomically } from './atomicWrite';
import { FileError } from './fileError';
import { isUnchanged, readFileState, readTextState, type ReadFileState, type TextState } from './fileState';
import { noTouchListener, type ChangeOrigin, type FileTouch, type TouchListener } from './fileTouch';
import { KnownTexts } from './knownTexts';
import { assertReal, inNewFolders } from './newFolders';
import { replaceExactly, type OpenDocument, type OpenFiles } from './workspacePorts';
import type { ResolvedPath } from './workspacePaths';
import { alreadyThere, assertWritable, changedMeanwhile, deletedButOpen } from './writeProblems';
import { sha256Hex } from '../../utils/sha256';

/** SHA-256 of the bytes before and after a change; null if the file is missing. */
export interface ChangedHashes {
  beforeHash: string | null;
  afterHash: string | null;
}

/** Texts immediately before and after a change, without concurrent changes by others. `text` includes formatting on save. */
export interface WrittenText extends ChangedHashes {
  before: string;
  text: string;
}

/** Maximum number of attempts to write a file that others change repeatedly. */
const maxTries = 5;

type Target = Pick<ResolvedPath, 'real' | 'shown'>;
interface TouchedFile {
  target: Target;
  bytes: Buffer | null;
  stats: ReadFileState['stats'] | null;
  movedFrom?: string;
}

/**
 * Makes all changes to files by tools. Unsaved text in editors takes precedence over the disk. Nothing changes before
 * `beforeTouch` resolves. Throws `FileError` and system errors. After any error except `unsaved`, the file is unchanged.
 */
export class FileChanges {
  /** Texts that the model knows. Updated with every change made here. */
  readonly known = new KnownTexts();

  constructor(
    private readonly open: OpenFiles,
    private readonly listener: TouchListener = noTouchListener,
    private readonly notes: WriteNotes = noWriteNotes,
  ) {}

  /** Reads the text of a file that will be changed, including unsaved changes. */
  async readText(target: Target): Promise<TextState> {
    return assertWritable(await readTextState(target, this.open));
  }

  /** Reads any file that will be moved or deleted. */
  async readFile(target: Target): Promise<ReadFileState> {
    return assertWritable(await readFileState(target, this.open));
  }

  /**
   * Replaces the text of a file, with its final line endings. Keeps the encoding and the byte order mark. If others have changed
   * other lines since the file was read, keeps their lines (`rebasedText`). Throws `changed` if they changed the same lines, and
   * `notEncodable` if text would be lost. Damage that is already in `former` is allowed.
   */
  async write(file: TextState, text: string, origin: ChangeOrigin, former?: string): Promise<WrittenText> {
    let state = file;
    let wanted = text;
    for (let tries = 1; ; tries += 1) {
      await assertEncodable(state, wanted, former ?? state.text);
      const written = await (state.document
        ? this.writeInEditor(state, state.document, wanted, origin)
        : this.writeOnDisk(state, wanted, origin));
      if (written !== null) {
        this.known.edited({ sessionId: origin.sessionId, path: file.target.real }, written.before, written.text);
        return written;
      }
      state = await this.readText(file.target);
      const rebased = rebasedText(file.text, text, state.text);
      if (rebased === null || tries === maxTries) throw changedMeanwhile(file.target);
      wanted = rebased;
    }
  }

  /** Resolves with null if the user has changed the same lines. */
  private async writeInEditor(
    file: TextState,
    document: OpenDocument,
    text: string,
    origin: ChangeOrigin,
  ): Promise<WrittenText | null> {
    const replaced = await this.touching([[file, 'modify']], origin, () => {
      origin.beginWriting();
      return document.replace((now) => rebasedText(file.text, text, now));
    });
    if (replaced === null) return null;
    const typed = replaced.before === file.text ? undefined : await document.bytes(replaced.before);
    const after = await document.bytes(replaced.after);
    await this.notifyAfter(file.target, after, origin, typed);
    if (replaced.problem) throw replaced.problem;
    return {
      beforeHash: sha256Hex(typed ?? file.bytes),
      afterHash: sha256Hex(after),
      before: replaced.before,
      text: replaced.after,
    };
  }

  /** Resolves with null if the file has changed since it was read. */
  private async writeOnDisk(file: TextState, text: string, origin: ChangeOrigin): Promise<WrittenText | null> {
    const bytes = encodeText(text, file.format);
    const isWritten = await this.touching([[file, 'modify']], origin, async () => {
      await assertReal(dirname(file.target.real));
      return replaceAtomically(file.target.real, bytes, file.stats, this.notes, async () => {
        const isMine = await this.isUntouched(file);
        if (isMine) origin.beginWriting();
        return isMine;
      });
    });
    if (!isWritten) return null;
    await this.notifyAfter(file.target, bytes, origin);
    return { beforeHash: sha256Hex(file.bytes), afterHash: sha256Hex(bytes), before: file.text, text };
  }

  /** Creates a file and its folders. Text is stored as UTF-8. Throws `exists` if the path exists, even if it was just created. */
  async create(target: Target, content: string | Buffer, origin: ChangeOrigin): Promise<ChangedHashes> {
    if (this.open.get(target.real)?.isDirty === true) throw deletedButOpen(target);
    const bytes = typeof content === 'string' ? encodeText(content, plainText) : content;
    const create = async () => {
      await createAtomically(target.real, bytes, this.notes, origin.beginWriting);
      // If a parent folder has been replaced with a link, the file may be outside the workspace. Delete it.
      await assertReal(dirname(target.real)).catch(async (error: unknown) => {
        await retryWhileInUse(() => unlink(target.real));
        throw error;
      });
    };
    await this.touching([[{ target, bytes: null, stats: null }, 'create']], origin, () => this.inFolder(target, create));
    if (typeof content === 'string') this.known.set({ sessionId: origin.sessionId, path: target.real }, content);
    await this.notifyAfter(target, bytes, origin);
    return { beforeHash: null, afterHash: sha256Hex(bytes) };
  }

  async remove(file: ReadFileState, origin: ChangeOrigin): Promise<ChangedHashes> {
    await this.touching([[file, 'delete']], origin, async () => {
      origin.beginWriting();
      await this.saveUnsaved(file);
      if (!file.document && !(await this.isUntouched(file))) throw changedMeanwhile(file.target);
      await assertReal(dirname(file.target.real));
      await removeDurably(file.target.real);
    });
    await this.notifyAfter(file.target, null, origin);
    return { beforeHash: sha256Hex(file.bytes), afterHash: null };
  }

  /** Renames a file. Throws `exists` if the new path exists. */
  async rename(file: ReadFileState, to: Target, origin: ChangeOrigin): Promise<ChangedHashes> {
    if (this.open.get(to.real)?.isDirty === true) throw deletedButOpen(to);
    const from = file.target.real;
    const renamed: TouchedFile = { target: to, bytes: null, stats: null, movedFrom: from };
    const move = async () => {
      await assertReal(dirname(from));
      if (this.open.get(from) === undefined) await moveAtomically(from, to.real, this.notes);
      else await this.open.rename(from, to.real);
    };
    await this.touching(
      [
        [file, 'rename'],
        [renamed, 'rename'],
      ],
      origin,
      async () => {
        origin.beginWriting();
        await this.saveUnsaved(file);
        await this.inFolder(to, move);
      },
    );
    this.known.moved(origin.sessionId, from, to.real);
    const { bytes } = await readFileState(to, this.open);
    await this.notifyAfter(file.target, null, origin);
    await this.notifyAfter(to, bytes, origin);
    return { beforeHash: sha256Hex(file.bytes), afterHash: sha256Hex(bytes) };
  }

  private async notifyAfter(
    { real: path }: Target,
    after: Buffer | null,
    { sessionId }: ChangeOrigin,
    before?: Buffer,
  ): Promise<void> {
    const mode = after === null ? null : await readMode(path);
    await this.listener.afterTouch({ sessionId, path, after, mode, ...(before && { before }) });
  }

  /** Notifies the listener of each file, then runs `work`. Withdraws the notices if nothing changes (an error, false or null). */
  private async touching<T>(
    touches: readonly (readonly [TouchedFile, FileTouch['operation']])[],
    origin: ChangeOrigin,
    work: () => Promise<T>,
  ): Promise<T> {
    const noticed: TouchedFile[] = [];
    const withdraw = async ({ target }: TouchedFile) =>
      this.listener.withdrawTouch({ sessionId: origin.sessionId, path: target.real });
    try {
      for (const [file, operation] of touches) {
        await this.notifyBefore(file, operation, origin);
        noticed.push(file);
      }
      throwIfAborted(origin.signal);
      const result = await work();
      if (result === null || result === false) for (const file of noticed) await withdraw(file);
      return result;
    } catch (error) {
      for (const file of noticed) if (await isUnharmed(file, error)) await withdraw(file);
      throw error;
    }
  }

  /** Saves unsaved text before its file is moved or deleted. */
  private async saveUnsaved(file: ReadFileState): Promise<void> {
    if (file.document?.isDirty !== true) return;
    if (!(await replaceExactly(file.document, file.document.text))) throw changedMeanwhile(file.target);
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
  }

  /** Creates the parent folders of a new path. Removes them if `work` fails. */
  private async inFolder(target: Target, work: () => Promise<void>): Promise<void> {
    const note = (made: readonly string[]) => this.listener.afterFolders(made);
    await inNewFolders(target.real, work, { note, taken: () => alreadyThere(target) });
  }

  /** Returns true if the file on disk is unchanged and no editor has newer text. */
  private async isUntouched(file: ReadFileState): Promise<boolean> {
    return (await isUnchanged(file)) && this.open.get(file.target.real)?.isDirty !== true;
  }
}

/** Returns null if the mode cannot be read. */
function readMode(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode & 0o7777,
    () => null,
  );
}

/** Returns true if a failed change has left the file unchanged. */
async function isUnharmed({ target, stats }: TouchedFile, error: unknown): Promise<boolean> {
  // Our own errors, except `unsaved`, are thrown before the change or after it was undone.
  if (error instanceof AppError) return !(error instanceof FileError && error.reason === 'unsaved');
  if (stats !== null) return isUnchanged({ target, stats });
  return lstat(target.real).then(
    () => false,
    () => true,
  );
}
