import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { phrase, t } from '../../utils/l10n';
import { decodeText, plainText, type TextFormat } from '../../utils/text/textFile';
import { FileError } from './fileError';
import { openVerified, type FileIdentity } from './verifiedOpen';
import type { OpenDocument, OpenFiles } from './workspacePorts';
import type { ResolvedPath } from './workspacePaths';

const megabyte = 1024 * 1024;
const maxTextBytes = 20 * megabyte;
const maxBytes = 50 * megabyte;

/** State of a file when it was read. */
export interface ReadFileState {
  target: Pick<ResolvedPath, 'real' | 'shown'>;
  /** Content on disk. For unsaved text, the bytes that saving would write. */
  bytes: Buffer;
  /** Content on disk. */
  stored: Buffer;
  stats: { mode: number; uid: number; gid: number; stamp: string };
  /** Editor through which the file must be changed; undefined to change it on disk. */
  document: OpenDocument | undefined;
}

export interface TextState extends ReadFileState {
  /** Text without the byte order mark. Line endings are unchanged. */
  text: string;
  format: TextFormat;
}

/** Throws `FileError` if a file is not regular or too large, or has unsaved changes in a custom editor. */
export async function readFileState(target: ReadFileState['target'], open: OpenFiles, limit = maxBytes): Promise<ReadFileState> {
  const { shown } = target;
  // Check this before opening the file. Opening a pipe would wait for its writer.
  const stats = await stat(target.real, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    // Also report the file as missing if another file is in place of a parent folder.
    throw error.code === 'ENOENT' || error.code === 'ENOTDIR' ? missing(target) : error;
  });
  if (stats.isDirectory()) throw new FileError('notAFile', phrase('{0} is a folder, not a file.', shown));
  if (!stats.isFile()) throw new FileError('notAFile', phrase('{0} is not a regular file.', shown));
  if (stats.size > BigInt(limit)) {
    const size = Math.ceil(Number(stats.size) / megabyte);
    throw new FileError(
      'tooLarge',
      phrase('{0} is too large for this tool: {1} MB, the limit is {2} MB.', shown, size, limit / megabyte),
    );
  }
  if (open.isHeld(target.real)) {
    const words = {
      local: t('{0} has unsaved changes in a custom editor. Save or close the file, then try again.', shown),
      english: `${shown} has unsaved changes in an editor that is no text editor. Ask the user to save or close it.`,
    };
    throw new FileError('held', words);
  }
  const { mode, uid, gid } = stats;
  const read = { target, stats: { mode: Number(mode), uid: Number(uid), gid: Number(gid), stamp: createStamp(stats) } };
  const file = await openVerified(target.real, shown, { kind: 'file', dev: stats.dev, ino: stats.ino });
  const bytes = await file.readFile().finally(() => file.close());
  const document = open.get(target.real);
  if (document?.isDirty === true) return { ...read, bytes: await document.bytes(), stored: bytes, document };
  return { ...read, bytes, stored: bytes, document: document && (await isSame(document, bytes)) ? document : undefined };
}

/** Reads a text file like `readFileState`. The text can be written back without loss. */
export async function readTextState(target: ReadFileState['target'], open: OpenFiles): Promise<TextState> {
  const state = await readFileState(target, open, maxTextBytes);
  if (state.document && !isWronglyDecoded(state.document, state.stored)) {
    return { ...state, text: state.document.text, format: plainText };
  }
  const decoded = decodeText(state.stored);
  if (decoded === null) throw notText(target.shown, isBinary(state.stored));
  return { ...state, ...decoded };
}

/**
 * Returns the text of a file in an editor if it cannot be read from disk alone. This applies to unsaved text, and to encodings
 * that only the editor supports. Otherwise returns null. Throws `FileError` and system errors.
 */
export async function editorText(
  { real, shown, seen }: ReadFileState['target'] & { seen: FileIdentity | null },
  open: Pick<OpenFiles, 'get'>,
): Promise<string | null> {
  const document = open.get(real);
  if (document === undefined || (!document.isDirty && /^utf-?8/i.test(document.encoding))) return null;
  if (document.isDirty) return document.text;
  const file = await openVerified(real, shown, seen);
  const bytes = await file.readFile().finally(() => file.close());
  return (await isSame(document, bytes)) ? document.text : null;
}

/** Returns true if an editor has decoded a file with replacement characters. Saving unsaved text would then damage the file. */
function isWronglyDecoded({ text, isDirty }: OpenDocument, stored: Buffer): boolean {
  return isDirty && text.includes('\uFFFD') && decodeText(stored) === null;
}

function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8192).includes(0);
}

/** Returns true if the file on disk has not changed since it was read. */
export async function isUnchanged({ target, stats }: Pick<ReadFileState, 'target' | 'stats'>): Promise<boolean> {
  return stat(target.real, { bigint: true }).then(
    (now) => createStamp(now) === stats.stamp,
    () => false,
  );
}

/** Returns true if an editor has the content on disk. An editor with an older version can be ignored, because it reloads the file. */
async function isSame(document: OpenDocument, bytes: Buffer): Promise<boolean> {
  return (await document.bytes()).equals(bytes);
}

function createStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function missing({ shown }: ReadFileState['target']): FileError {
  return new FileError('missing', phrase('There is no file {0}. Nothing was changed.', shown));
}

function notText(shown: string, isBinaryFile: boolean): FileError {
  if (isBinaryFile) return new FileError('notText', phrase('{0} is a binary file, so its text cannot be changed.', shown));
  return new FileError('notText', {
    local: t(
      '{0} is not encoded in UTF-8 or UTF-16, so a change would damage the file. Open it in the editor with its encoding, or save it as UTF-8, then try again.',
      shown,
    ),
    english: `${shown} is not encoded in UTF-8 or UTF-16, so changing it would damage it. Ask the user to open it in the editor with its encoding, or to save it as UTF-8.`,
  });
}
