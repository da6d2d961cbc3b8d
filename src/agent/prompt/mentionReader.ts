import type { Attachment, AttachmentRef } from '../../protocol/entries';
import { AppError, messageOf } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import type { Clock } from '../../utils/clock';
import { formatOutput } from '../../services/terminal/run/outputFormatter';
import { imageLength } from '../../protocol/context/imageRef';
import { readOnlyContext } from '../tools/kernel/readOnlyContext';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { AttachmentError, type AttachmentReader } from './attachmentReader';

export interface TerminalOutput {
  command: string;
  output: string;
}

export interface MentionSources {
  registry: ToolRegistry;
  clock: Clock;
  /** Returns the last command whose output was captured in any terminal of the window. */
  lastTerminal: () => TerminalOutput | null;
  /** Returns a text about a file that is open in the editor. Returns undefined if the file no longer exists. */
  openFile: (path: string) => string | undefined;
}

/** Message that contains the mention. */
export interface MentionPlace {
  sessionId: string | null;
  text: string;
  /** Cancels the reading of a mention. */
  signal?: AbortSignal;
}

/** Maximum time for reading a mention in milliseconds. */
const limitMs = 20_000;
/** Maximum characters of one mention. */
const maxCharacters = 24_000;
/** Stop words for a search, in English and German. */
const common = new Set(
  'about all and are can code das der die does ein eine file files find for from have how ist mit the this und was what when where which who why wie with wo workspace you'.split(
    ' ',
  ),
);

/** Workspace mention, which is removed from the search query. */
const mention = /(?<!\S)[@#](?:workspace|codebase)\b/gi;

/**
 * Reads the content behind a mention: folders, problems, changes, the terminal or the workspace. Uses
 * the reading tools, which never show secret or ignored files. Omits content that needs approval.
 */
export class MentionReader {
  constructor(
    private readonly files: Pick<AttachmentReader, 'read' | 'estimateLength'>,
    private readonly sources: MentionSources,
  ) {}

  /** Reads one mention. Rejects with an `AppError` that explains what cannot be read. */
  async read(ref: AttachmentRef, place: MentionPlace): Promise<Attachment> {
    switch (ref.kind) {
      case 'file':
      case 'selection':
        return this.files.read(ref);
      // Images are stored when the user attaches them. Agents are resolved for each request.
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

  /**
   * Estimates the length of a mention in characters without asking the user. Returns 0 if the mention cannot
   * be read. Also returns 0 for the workspace, because its content depends on the text of the message.
   */
  async estimateLength(ref: AttachmentRef, place: MentionPlace): Promise<number> {
    if (ref.kind === 'file' || ref.kind === 'selection') return this.files.estimateLength(ref);
    if (ref.kind === 'image') return imageLength;
    if (ref.kind === 'workspace') return 0;
    try {
      return (await this.read(ref, place)).content?.length ?? 0;
    } catch (error) {
      if (error instanceof AppError) return 0;
      throw error;
    }
  }

  private terminal(): string {
    const last = this.sources.lastTerminal();
    if (last === null) return 'No commands have been run in the terminals of this window yet.';
    return cut(`$ ${last.command}\n${formatOutput(last.output).text}`, 'end');
  }

  private async search(ref: AttachmentRef, place: MentionPlace): Promise<Attachment> {
    const words = pickWords(place.text);
    if (words.length === 0) return this.look(ref, 'list_files', { recursive: true }, place);
    if (this.sources.registry.get('search_codebase') !== undefined) {
      // Without a usable index, the message is searched for as text.
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
    const signal = AbortSignal.any([over.signal, ...(place.signal === undefined ? [] : [place.signal])]);
    const tooLong = this.sources.clock.sleep(limitMs, over.signal).then(() => {
      throw new AttachmentError(phrase('Reading {0} took too long. Mention a smaller part, then send again.', ref.path));
    });
    tooLong.catch(() => undefined);
    try {
      const result = await Promise.race([call.run(readOnlyContext(place.sessionId ?? '', signal)), tooLong]);
      if (result.status === 'error') throw new AttachmentError(phrase('Could not read {0}: {1}', ref.path, result.content));
      const { places } = result;
      return { ...ref, content: cut(result.content, 'start'), ...(places !== undefined && { places }) };
    } catch (error) {
      if (error instanceof AttachmentError) throw error;
      const reason = error instanceof AppError ? error.userMessage : messageOf(error);
      throw new AttachmentError(phrase('Could not read {0}: {1}', ref.path, reason));
    } finally {
      over.abort();
    }
  }
}

function withContent(ref: AttachmentRef, content: string | undefined): Attachment {
  return content === undefined ? { ...ref } : { ...ref, content };
}

/** Returns the most specific words of a question, longest first, escaped for a regular expression. */
function pickWords(text: string): string[] {
  const words = text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
  const telling = [...new Set(words)].filter((word) => !common.has(word.toLowerCase()));
  return telling
    .sort((one, other) => other.length - one.length)
    .slice(0, 8)
    .map((word) => word.replaceAll('$', '\\$'));
}

/** Shortens a text that is too long and adds a note. */
function cut(text: string, keep: 'start' | 'end'): string {
  if (text.length <= maxCharacters) return text;
  const note = `[Left out: ${text.length - maxCharacters} characters]`;
  return keep === 'start' ? `${text.slice(0, maxCharacters)}\n${note}` : `${note}\n${text.slice(-maxCharacters)}`;
}
