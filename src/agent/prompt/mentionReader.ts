import type { Attachment, AttachmentRef } from '../../protocol/entries';
import { AppError, messageOf } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import type { Clock } from '../../utils/clock';
import { formatOutput } from '../../services/terminal/run/outputFormatter';
import { readingOnly } from '../tools/kernel/readingOnly';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { AttachmentError, type AttachmentReader } from './attachmentReader';

/** A command that ran in a terminal, with what it printed. */
export interface TerminalOutput {
  command: string;
  output: string;
}

export interface MentionSources {
  registry: ToolRegistry;
  clock: Clock;
  /** Returns the last command of any terminal of the window that told what it printed. */
  lastTerminal: () => TerminalOutput | null;
  /** Returns what is to say of a file that is open in the editor; undefined where it is not there any more. */
  openFile: (path: string) => string | undefined;
}

/** Message that a mention stands in. */
export interface MentionPlace {
  sessionId: string | null;
  /** Words of the message. */
  text: string;
}

/** Milliseconds that a look may take. */
const limitMs = 20_000;
/** Characters of one mention. */
const maxCharacters = 24_000;
/** Words that say nothing about where something is, in the languages that people ask in most. */
const common = new Set(
  'about all and are can code das der die does ein eine file files find for from have how ist mit the this und was what when where which who why wie with wo workspace you'.split(
    ' ',
  ),
);

/** The mention itself says nothing of what is looked for. */
const mention = /(?<!\S)[@#](?:workspace|codebase)\b/gi;

/**
 * Reads what a message mentions: folders, problems, changes, the terminal, the workspace. It looks through the tools that only read, which
 * show nothing of secret and ignored files; what they would have to ask about is left out.
 */
export class MentionReader {
  constructor(
    private readonly files: Pick<AttachmentReader, 'read'>,
    private readonly sources: MentionSources,
  ) {}

  /** Rejects with an `AppError` that says what cannot be read. */
  async read(ref: AttachmentRef, place: MentionPlace): Promise<Attachment> {
    switch (ref.kind) {
      case 'file':
      case 'selection':
        return this.files.read(ref);
      // An image is kept already, as it was when it was attached; an agent is looked up by each request.
      case 'image':
      case 'agent':
        return ref;
      case 'editor':
        return withContent(ref, this.sources.openFile(ref.path));
      case 'terminal':
        return { ...ref, content: this.terminal() };
      case 'folder':
        return this.look(ref, 'list_files', { path: ref.path, recursive: true }, place);
      case 'problems':
        return this.look(ref, 'get_diagnostics', {}, place);
      case 'changes':
        return this.look(ref, 'get_changed_files', {}, place);
      case 'workspace':
        return this.search(ref, place);
    }
  }

  private terminal(): string {
    const last = this.sources.lastTerminal();
    if (last === null) throw new AttachmentError(phrase('No command has run in a terminal of this window yet.'));
    return cut(`$ ${last.command}\n${formatOutput(last.output).text}`, 'end');
  }

  private async search(ref: AttachmentRef, place: MentionPlace): Promise<Attachment> {
    const words = wordsOf(place.text);
    if (words.length === 0) return this.look(ref, 'list_files', { recursive: true }, place);
    if (this.sources.registry.get('search_codebase') !== undefined) {
      // Where there is no index, or none that answers, the words are looked for one by one.
      const found = await this.look(ref, 'search_codebase', { query: place.text.replace(mention, ' ').trim() }, place).catch(
        () => null,
      );
      if (found !== null) return found;
    }
    return this.look(ref, 'search_workspace', { query: words.join('|'), isRegex: true }, place);
  }

  private async look(ref: AttachmentRef, name: string, args: Record<string, unknown>, place: MentionPlace): Promise<Attachment> {
    const tool = this.sources.registry.get(name);
    const call = tool?.prepare(args);
    if (call?.isValid !== true) throw new AttachmentError(phrase('{0} cannot be read here.', ref.path));
    const over = new AbortController();
    const tooLong = this.sources.clock.sleep(limitMs, over.signal).then(() => {
      throw new AttachmentError(phrase('{0} took too long to read. Mention less of it, then send again.', ref.path));
    });
    tooLong.catch(() => undefined);
    try {
      const result = await Promise.race([call.run(readingOnly(place.sessionId ?? '', over.signal)), tooLong]);
      if (result.status === 'error') throw new AttachmentError(phrase('{0} cannot be read: {1}', ref.path, result.content));
      const { places } = result;
      return { ...ref, content: cut(result.content, 'start'), ...(places !== undefined && { places }) };
    } catch (error) {
      if (error instanceof AttachmentError) throw error;
      const reason = error instanceof AppError ? error.userMessage : messageOf(error);
      throw new AttachmentError(phrase('{0} cannot be read: {1}', ref.path, reason));
    } finally {
      over.abort();
    }
  }
}

function withContent(ref: AttachmentRef, content: string | undefined): Attachment {
  return content === undefined ? { ...ref } : { ...ref, content };
}

/** Returns the words of a question by which code is found, as parts of a regular expression: the longest first. */
function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
  const telling = [...new Set(words)].filter((word) => !common.has(word.toLowerCase()));
  return telling
    .sort((one, other) => other.length - one.length)
    .slice(0, 8)
    .map((word) => word.replaceAll('$', '\\$'));
}

/** Keeps the start or the end of a text that is too long, and says so. */
function cut(text: string, keep: 'start' | 'end'): string {
  if (text.length <= maxCharacters) return text;
  const note = `[Left out: ${text.length - maxCharacters} characters]`;
  return keep === 'start' ? `${text.slice(0, maxCharacters)}\n${note}` : `${note}\n${text.slice(-maxCharacters)}`;
}
