import { realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Attachment, AttachmentRef } from '../../protocol/entries';
import { isDatabase } from '../../services/database/sqlite/databaseFile';
import { AppError } from '../../utils/errors';
import { FileSensitivity } from '../../utils/sensitivity/fileSensitivity';
import { holdsKey } from '../../utils/sensitivity/keyShapes';
import { phrase, type Phrase } from '../../utils/l10n';
import { hasKeyInText } from '../approvals/keyScan';
import { isLocalOnly } from '../../services/search/searchRules';
import type { ImageStore } from '../kernel/ports';
import { LineWindow } from '../tools/read/lineWindow';
import { identify, openVerified, type FileIdentity } from '../../services/files/verifiedOpen';
import { PathError } from '../../services/files/pathError';
import { linesOfText, readTextLines, type TextLines } from '../tools/read/textLines';
import { storeImage, isImageFile } from './imageAttachment';
import { ownDatabase, type WorkspacePaths } from '../../services/files/workspacePaths';

/** Maximum size of one attachment in bytes. */
const maxBytes = 200 * 1024;
const maxFileBytes = 20 * 1024 * 1024;

export type AttachmentConcern = 'outside' | 'sensitive';

export interface AttachmentEditor {
  /** Returns the current text in the editor, including unsaved changes. Returns undefined if the file is not open. */
  openText(realPath: string): string | undefined;
  /** Asks the user before a file is attached that is outside the workspace or may contain secrets. */
  confirm(path: string, concern: AttachmentConcern): Promise<boolean>;
}

/** Thrown if something cannot be attached. The user message contains the reason. */
export class AttachmentError extends AppError {
  readonly code = 'cannotAttach';

  constructor(words: Phrase) {
    super(words.english, words);
  }
}

interface Found {
  real: string;
  shown: string;
  concern: AttachmentConcern | null;
  /** Identity of the checked file, or null if the file does not exist. */
  seen: FileIdentity | null;
  /** True if the text must be scanned for keys, because no user pattern exempts the file. */
  needsKeyScan: boolean;
}

/** Reads the attachments of a message. Asks about outside and sensitive files once per file and window. */
export class AttachmentReader {
  private readonly confirmed = new Set<string>();

  constructor(
    private readonly paths: Pick<WorkspacePaths, 'resolve'>,
    private readonly editor: AttachmentEditor,
    private readonly sensitivity: () => FileSensitivity = () => new FileSensitivity(),
    private readonly images: ImageStore | null = null,
  ) {}

  /**
   * Checks an attachment and resolves with its reference, or with null if the user
   * declines. An image is stored immediately. Rejects if the attachment cannot be read.
   */
  async check(item: AttachmentRef): Promise<AttachmentRef | null> {
    const found = await this.find(item.path);
    if (this.images !== null && isImageFile(item))
      return (await this.isAllowed(found, '')) ? storeImage(found, this.images) : null;
    const { text } = await this.readLines(found, item);
    return (await this.isAllowed(found, text)) ? { ...item, path: found.shown } : null;
  }

  /**
   * Returns the reason not to send an attachment that the user did not choose, or null if there
   * is none. `secret`: the file may contain secrets, Git ignores it, or the user excluded it.
   * `unknown`: the file is outside the workspace or unreadable. Never asks the user.
   */
  async exclusionReason(item: AttachmentRef): Promise<'secret' | 'unknown' | null> {
    try {
      const { real, root } = await this.paths.resolve(item.path);
      const found = await this.find(item.path);
      if (found.concern === 'outside') return 'unknown';
      if (found.concern !== null || (root !== null && isLocalOnly(real, root))) return 'secret';
      if (item.kind === 'editor' || !found.needsKeyScan) return null;
      return holdsKey((await this.readLines(found, item)).text) ? 'secret' : null;
    } catch (error) {
      return error instanceof PathError && error.reason === 'closed' ? 'secret' : 'unknown';
    }
  }

  /** Checks each attachment. Returns problems as messages. A problem does not affect other attachments. */
  async checkAll(items: readonly AttachmentRef[]): Promise<{ items: AttachmentRef[]; problems: string[] }> {
    const checked: { items: AttachmentRef[]; problems: string[] } = { items: [], problems: [] };
    for (const item of items) {
      try {
        const allowed = await this.check(item);
        if (allowed) checked.items.push(allowed);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        checked.problems.push(error.userMessage);
      }
    }
    return checked;
  }

  /** Reads the current text, up to 200 KB. A note describes any omitted text. */
  async read(item: AttachmentRef): Promise<Attachment> {
    const found = await this.find(item.path);
    // The text is read before the question, so that exactly the approved text is sent.
    const lines = await this.readLines(found, item);
    if (!(await this.isAllowed(found, lines.text))) {
      throw new AttachmentError(phrase('{0} is not attached. Remove it, then send again.', found.shown));
    }
    return { ...item, path: found.shown, content: describe(lines, item) };
  }

  /**
   * Reads the attachments up to the first one that needs a question, is
   * not a file or selection, or cannot be read. Never asks the user.
   */
  async readUnasked(items: readonly AttachmentRef[]): Promise<Attachment[]> {
    const read: Attachment[] = [];
    for (const item of items) {
      if (item.kind !== 'file' && item.kind !== 'selection') break;
      try {
        const found = await this.find(item.path);
        const lines = await this.readLines(found, item);
        if (!(await this.isAllowed(found, lines.text, () => Promise.resolve(false)))) break;
        read.push({ ...item, path: found.shown, content: describe(lines, item) });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        break;
      }
    }
    return read;
  }

  /**
   * Estimates the length of an attachment in characters from its file
   * size. Returns 0 if the file cannot be read. Never asks the user.
   */
  async estimateLength(item: AttachmentRef): Promise<number> {
    try {
      const found = await this.find(item.path);
      if (item.kind === 'selection') return (await this.readLines(found, item)).text.length;
      const stats = await stat(found.real);
      const length = this.editor.openText(found.real)?.length ?? (stats.isFile() && stats.size <= maxFileBytes ? stats.size : 0);
      return Math.min(length, maxBytes);
    } catch {
      return 0;
    }
  }

  private async find(path: string): Promise<Found> {
    try {
      const { real, shown, exists, names, realNames } = await this.paths.resolve(path);
      if (!exists) throw new AttachmentError(phrase('The file {0} no longer exists.', shown));
      // Both the given name and the real name are checked.
      const sensitivity = this.sensitivity();
      const concern = names.some((name) => sensitivity.isSecret(name)) ? 'sensitive' : null;
      const needsKeyScan = !realNames.some((name) => sensitivity.isExemptByUser(name));
      return { real, shown, concern, seen: await identify(real), needsKeyScan };
    } catch (error) {
      const isElsewhere = error instanceof PathError && (error.reason === 'outside' || error.reason === 'noFolder');
      if (!isElsewhere || !isAbsolute(path)) throw error;
      const real = await realpath(path).catch(() => null);
      if (real === null) throw new AttachmentError(phrase('There is no file {0}.', path));
      if (isDatabase(real)) throw ownDatabase(path);
      return { real, shown: real, concern: 'outside', seen: await identify(real), needsKeyScan: false };
    }
  }

  private async isAllowed(
    { real, shown, concern, seen, needsKeyScan }: Found,
    text: string,
    confirm: AttachmentEditor['confirm'] = (...asked) => this.editor.confirm(...asked),
  ): Promise<boolean> {
    if (this.confirmed.has(real)) return true;
    const hasKey = async () => needsKeyScan && (holdsKey(text) || (await hasKeyInText(real, seen)));
    const found = concern ?? ((await hasKey()) ? 'sensitive' : null);
    if (found === null) return true;
    const isWanted = await confirm(shown, found);
    if (isWanted) this.confirmed.add(real);
    return isWanted;
  }

  private async readLines({ real, shown, seen }: Found, item: AttachmentRef): Promise<TextLines> {
    const first = item.startLine ?? 1;
    const window = new LineWindow(first, item.endLine ?? Infinity, maxBytes);
    const openText = this.editor.openText(real);
    let lines: TextLines | null;
    if (openText === undefined) lines = await linesOfFile(real, shown, seen, window);
    else lines = linesOfText(openText, window);
    if (lines === null) throw new AttachmentError(phrase('{0} is a binary file. Only text files can be attached.', shown));
    if (first > 1 && first > lines.total) throw new AttachmentError(shortened(shown, lines.total));
    return lines;
  }
}

async function linesOfFile(
  real: string,
  shown: string,
  seen: FileIdentity | null,
  window: LineWindow,
): Promise<TextLines | null> {
  // The file type is checked first, because opening a pipe would wait for its writer.
  const stats = await stat(real);
  if (stats.isDirectory()) throw new AttachmentError(phrase('{0} is a folder. Attach the relevant files in it.', shown));
  if (!stats.isFile()) throw new AttachmentError(phrase('{0} is not a regular file.', shown));
  if (stats.size > maxFileBytes)
    throw new AttachmentError(phrase('{0} is larger than 20 MB. Open the file and attach the relevant lines.', shown));
  let file: FileHandle;
  try {
    file = await openVerified(real, shown, seen);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const cause = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new AttachmentError(phrase('Could not open {0} ({1}).', shown, cause));
  }
  try {
    return await readTextLines(file, window);
  } finally {
    await file.close();
  }
}

function shortened(shown: string, lines: number): Phrase {
  if (lines === 1) return phrase('{0} now has only one line. Select the lines again.', shown);
  return phrase('{0} now has only {1} lines. Select the lines again.', shown, lines);
}

/** Formats the text for the model. */
function describe({ text, total, lastLine, cut, isExact }: TextLines, { endLine }: AttachmentRef): string {
  const last = Math.min(endLine ?? total, total);
  const notes = isExact ? [] : ['[The file is not encoded in UTF-8 or UTF-16, so some characters are shown as U+FFFD.]'];
  if (cut === null && lastLine >= last) return [text, ...notes].join('\n');
  const missing = cut !== null ? `the rest of line ${lastLine} and what follows it` : `lines ${lastLine + 1} to ${last}`;
  notes.push(`[Left out: ${missing}, because an attachment holds at most ${maxBytes / 1024} KB.]`);
  return [text, ...notes].join('\n');
}
