import { diffLines } from '../../utils/text/lineDiff';
import { splitEditorLines } from '../../utils/text/lineEdits';
import { keepLineEnds } from '../../utils/text/lineEnds';
import { rebasedText } from '../../utils/text/rebasedText';
import { detectLineEnd, plainLineEnds } from '../../utils/text/textFile';

/** Maximum number of files across all sessions. */
const maxFiles = 200;
/** Maximum length of a text, in characters. */
const maxLength = 256 * 1024;
/** Maximum number of distinct lines of a file. */
const maxLines = 50_000;

interface KnownFile {
  sessionId: string;
  path: string;
}

/** Text of a file with plain line endings. `lines` contains the lines of all texts of the file that the model has known. */
interface Known {
  text: string;
  lines: Set<string>;
}

/** Stores each file's text as the model last read or wrote it, so that writing a whole file keeps later changes by others. */
export class KnownTexts {
  /** Known files, least recently used first. */
  private readonly files = new Map<string, Known>();

  /** Stores the whole text that the model now knows. */
  set(file: KnownFile, text: string): void {
    const key = createKey(file);
    const former = this.files.get(key)?.lines;
    this.files.delete(key);
    if (text.length > maxLength) return;
    const plain = plainLineEnds(text);
    const lines = former === undefined || former.size > maxLines ? new Set<string>() : former;
    for (const line of splitEditorLines(plain)) lines.add(line);
    this.files.set(key, { text: plain, lines });
    for (const [oldest] of this.files) if (this.files.size > maxFiles) this.files.delete(oldest);
  }

  /** Applies an edit to the text that the model knows. `before` and `after` are the texts of the whole file. */
  edited(file: KnownFile, before: string, after: string): void {
    const known = this.files.get(createKey(file));
    if (known === undefined) return;
    const from = plainLineEnds(before);
    const to = ended(before, after);
    this.set(file, rebasedText(from, to, withoutNewLines(known, from)) ?? to);
  }

  /** Renames a file. */
  moved(sessionId: string, from: string, to: string): void {
    const old = createKey({ sessionId, path: from });
    const present = createKey({ sessionId, path: to });
    const known = this.files.get(old);
    this.files.delete(old);
    this.files.delete(present);
    if (known !== undefined) this.files.set(present, known);
  }

  /** Removes a file, because the model cannot read it as a whole. */
  forget(file: KnownFile): void {
    this.files.delete(createKey(file));
  }

  /**
   * Returns the text to write if the model replaces the text `now` with `wanted`. The result includes the lines that others have
   * written since the model last read the file, and has the line endings of `now`. Returns null if both changed the same lines.
   */
  merged(file: KnownFile, wanted: string, now: string): string | null {
    if (now === '') return wanted;
    const known = this.files.get(createKey(file));
    const plain = plainLineEnds(now);
    const base = known === undefined ? plain : withoutNewLines(known, plain, plainLineEnds(wanted));
    this.set(file, base);
    if (wanted === '') return base === plain ? '' : null;
    const merged = rebasedText(base, ended(now, wanted), plain);
    return merged === null ? null : keepLineEnds(now, merged, detectLineEnd(now));
  }
}

/**
 * Returns `now` without changes that contain a line unknown to the model. A reverted edit restores known lines. Lines in
 * `written` are treated as known too: the model may know them from a command or a search.
 */
function withoutNewLines({ text, lines }: Known, now: string, written = ''): string {
  const old = splitEditorLines(ended(now, text));
  const present = splitEditorLines(now);
  const result = [...present];
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(old, present).reverse()) {
    const added = present.slice(afterStart, afterEnd);
    if (added.every((line) => lines.has(line)) || contains(written, added)) continue;
    result.splice(afterStart, afterEnd - afterStart, ...old.slice(beforeStart, beforeEnd));
  }
  return result.join('\n');
}

/** Returns true if a text contains these lines consecutively. */
function contains(text: string, lines: readonly string[]): boolean {
  return `\n${text}\n`.includes(`\n${lines.join('\n')}\n`);
}

/** Returns a text with plain line endings. The text ends with a line ending only if `model` does. */
function ended(model: string, text: string): string {
  const plain = plainLineEnds(text);
  return model.endsWith('\n') ? plain.replace(/\n?$/, '\n') : plain.replace(/\n$/, '');
}

function createKey({ sessionId, path }: KnownFile): string {
  return JSON.stringify([sessionId, path]);
}
