import { realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Attachment, AttachmentRef } from '../../protocol/entries';
import { isDatabase } from '../../services/database/sqlite/databaseFile';
import { AppError } from '../../utils/errors';
import { FileSensitivity } from '../../utils/sensitivity/fileSensitivity';
import { holdsKey } from '../../utils/sensitivity/keyShapes';
import { phrase, type Phrase } from '../../utils/l10n';
import { hasKeyInText } from '../approvals/keyLook';
import { isKeptBack } from '../../services/search/searchRules';
import type { ImageStore } from '../kernel/ports';
import { LineWindow } from '../tools/read/lineWindow';
import { look, openSeen, type SeenFile } from '../../services/files/openSeen';
import { PathError } from '../../services/files/pathError';
import { readTextLines, type TextLines } from '../tools/read/textLines';
import { imageOf, isImageFile } from './imageAttachment';
import { ownDatabase, type WorkspacePaths } from '../../services/files/workspacePaths';

/** Largest size of one attachment. */
const maxBytes = 200 * 1024;
const maxFileBytes = 20 * 1024 * 1024;

export type AttachmentConcern = 'outside' | 'sensitive';

export interface AttachmentEditor {
  /** Returns the text as it stands in the editor, saved or not; undefined if the file is not open. */
  openText(realPath: string): string | undefined;
  /** Asks the person whether to attach a file from outside the workspace, or one that may keep keys. */
  confirm(path: string, concern: AttachmentConcern): Promise<boolean>;
}

/** Thrown if something cannot be attached; the user message says what and why. */
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
  /** Identity of the file that a person is asked about; null if there is none. */
  seen: SeenFile | null;
  /** Its text is looked into for keys: no pattern of a person frees it. */
  isLookedInto: boolean;
}

/** Reads what a person attaches to a message. Files out of the ordinary are asked about, once for each in a window. */
export class AttachmentReader {
  private readonly confirmed = new Set<string>();

  constructor(
    private readonly paths: Pick<WorkspacePaths, 'resolve'>,
    private readonly editor: AttachmentEditor,
    private readonly sensitivity: () => FileSensitivity = () => new FileSensitivity(),
    private readonly images: ImageStore | null = null,
  ) {}

  /** Checks an attachment and resolves with what it will go by; null if the person declines. An image is kept from here on. Rejects if it cannot be read. */
  async check(item: AttachmentRef): Promise<AttachmentRef | null> {
    const found = await this.find(item.path);
    if (this.images !== null && isImageFile(item)) return (await this.isAllowed(found, '')) ? imageOf(found, this.images) : null;
    const { text } = await this.linesOf(found, item);
    return (await this.isAllowed(found, text)) ? { ...item, path: found.shown } : null;
  }

  /**
   * Tells why an attachment that nobody chose must not be sent: `secret` for a file that may hold secrets, that git ignores or that a person has
   * closed; `unknown` for one outside the workspace or that cannot be read; null if nothing speaks against it. Never asks.
   */
  async heldBackAs(item: AttachmentRef): Promise<'secret' | 'unknown' | null> {
    try {
      const { real, root } = await this.paths.resolve(item.path);
      const found = await this.find(item.path);
      if (found.concern === 'outside') return 'unknown';
      if (found.concern !== null || (root !== null && isKeptBack(real, root))) return 'secret';
      if (item.kind === 'editor' || !found.isLookedInto) return null;
      return holdsKey((await this.linesOf(found, item)).text) ? 'secret' : null;
    } catch (error) {
      return error instanceof PathError && error.reason === 'closed' ? 'secret' : 'unknown';
    }
  }

  /** Checks each attachment. Those that cannot be attached are reported in words and do not keep the others out. */
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

  /** Reads the current text, at most 200 KB of it; a longer one says what was left out. */
  async read(item: AttachmentRef): Promise<Attachment> {
    const found = await this.find(item.path);
    // As it was when the person was asked: it is not read again after that.
    const lines = await this.linesOf(found, item);
    if (!(await this.isAllowed(found, lines.text))) {
      throw new AttachmentError(phrase('{0} is not attached. Remove it, then send again.', found.shown));
    }
    return { ...item, path: found.shown, content: describe(lines, item) };
  }

  private async find(path: string): Promise<Found> {
    try {
      const { real, shown, exists, names, realNames } = await this.paths.resolve(path);
      if (!exists) throw new AttachmentError(phrase('There is no file {0} any more.', shown));
      // By the name that it was given, and by the one that it really has.
      const sensitivity = this.sensitivity();
      const concern = names.some((name) => sensitivity.isSecret(name)) ? 'sensitive' : null;
      const isLookedInto = !realNames.some((name) => sensitivity.isFreedByPerson(name));
      return { real, shown, concern, seen: await look(real), isLookedInto };
    } catch (error) {
      const isElsewhere = error instanceof PathError && (error.reason === 'outside' || error.reason === 'noFolder');
      if (!isElsewhere || !isAbsolute(path)) throw error;
      const real = await realpath(path).catch(() => null);
      if (real === null) throw new AttachmentError(phrase('There is no file {0}.', path));
      if (isDatabase(real)) throw ownDatabase(path);
      return { real, shown: real, concern: 'outside', seen: await look(real), isLookedInto: false };
    }
  }

  private async isAllowed({ real, shown, concern, seen, isLookedInto }: Found, text: string): Promise<boolean> {
    if (this.confirmed.has(real)) return true;
    const hasKey = async () => isLookedInto && (holdsKey(text) || (await hasKeyInText(real, seen)));
    const found = concern ?? ((await hasKey()) ? 'sensitive' : null);
    if (found === null) return true;
    const isWanted = await this.editor.confirm(shown, found);
    if (isWanted) this.confirmed.add(real);
    return isWanted;
  }

  private async linesOf({ real, shown, seen }: Found, item: AttachmentRef): Promise<TextLines> {
    const first = item.startLine ?? 1;
    const window = new LineWindow(first, item.endLine ?? Infinity, maxBytes);
    const openText = this.editor.openText(real);
    let lines: TextLines | null;
    if (openText === undefined) lines = await linesOfFile(real, shown, seen, window);
    else {
      window.push(openText);
      lines = window.finish();
    }
    if (lines === null) throw new AttachmentError(phrase('{0} is a binary file. Only text can be attached.', shown));
    if (first > 1 && first > lines.total) throw new AttachmentError(shortened(shown, lines.total));
    return lines;
  }
}

async function linesOfFile(real: string, shown: string, seen: SeenFile | null, window: LineWindow): Promise<TextLines | null> {
  // Before it is opened: to open a pipe would wait for its writer.
  const stats = await stat(real);
  if (stats.isDirectory()) throw new AttachmentError(phrase('{0} is a folder. Attach the files in it that matter.', shown));
  if (!stats.isFile()) throw new AttachmentError(phrase('{0} is not a regular file.', shown));
  if (stats.size > maxFileBytes)
    throw new AttachmentError(phrase('{0} is larger than 20 MB. Open it and attach the lines that matter.', shown));
  let file: FileHandle;
  try {
    file = await openSeen(real, shown, seen);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const cause = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new AttachmentError(phrase('{0} cannot be opened ({1}).', shown, cause));
  }
  try {
    return await readTextLines(file, window);
  } finally {
    await file.close();
  }
}

function shortened(shown: string, lines: number): Phrase {
  if (lines === 1) return phrase('{0} has only one line now. Select again.', shown);
  return phrase('{0} has only {1} lines now. Select again.', shown, lines);
}

/** Formats the text for the model. */
function describe({ text, total, lastLine, isLastCut }: TextLines, { endLine }: AttachmentRef): string {
  const last = Math.min(endLine ?? total, total);
  if (!isLastCut && lastLine >= last) return text;
  const missing = isLastCut ? `the rest of line ${lastLine} and what follows it` : `lines ${lastLine + 1} to ${last}`;
  return `${text}\n[Left out: ${missing}, because an attachment holds at most ${maxBytes / 1024} KB.]`;
}
