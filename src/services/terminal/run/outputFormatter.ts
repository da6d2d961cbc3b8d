import stripAnsi from 'strip-ansi';
import { KeyRedactor } from '../../../utils/sensitivity/keyRedactor';
import { cutHead } from '../../../types/cutText';

const headLines = 15;
const tailLines = 85;
/** Maximum length of a displayed line, in characters. */
const maxLineLength = 1000;
/**
 * Maximum buffered length of an unfinished line. It is longer than `maxLineLength`, because cleaning removes escape sequences.
 */
const maxPartialLength = 16 * maxLineLength;

export interface FormattedOutput {
  /** Cleaned lines without the final newline. `[N lines truncated]` replaces the middle. */
  text: string;
  truncatedLines: number;
  /** Number of suspected secret keys that were removed from the whole output, if any. */
  keysLeftOut?: number;
}

/**
 * Collects terminal output of any size in bounded memory. Keeps the first 15 and the last 85 lines, without control sequences and
 * possible keys. Searches all lines for keys, so that it also finds a key that starts in an omitted line.
 */
export class OutputCollector {
  private readonly head: string[] = [];
  private readonly tail: string[] = [];
  private count = 0;
  private partial = '';
  private overflow = 0;
  private readonly keys = new KeyRedactor();

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.grow(text.slice(from, end));
      this.finishLine();
      from = end + 1;
    }
    this.grow(text.slice(from));
  }

  /**
   * Formats the output so far. An unfinished last line counts as a
   * line. If `isGoingOn` is true, more output may follow on that line.
   */
  format(isGoingOn = false): FormattedOutput {
    const written = cleanLine(this.partial);
    const { text, count: inLast } = this.keys.peek(isGoingOn ? withoutPartialKey(written) : written);
    const last = text === null ? '' : cutLine(text, this.overflow);
    const keysLeftOut = this.keys.count + inLast;
    const tail = [...this.tail];
    const head = [...this.head];
    let count = this.count;
    if (last !== '') {
      count += 1;
      if (head.length < headLines && tail.length === 0) head.push(last);
      else tail.push(last);
    }
    if (tail.length > tailLines) tail.shift();
    const truncatedLines = count - head.length - tail.length;
    const lines = truncatedLines > 0 ? [...head, `[${truncatedLines} lines truncated]`, ...tail] : [...head, ...tail];
    return { text: lines.join('\n').trimEnd(), truncatedLines, ...(keysLeftOut > 0 && { keysLeftOut }) };
  }

  private grow(text: string): void {
    this.partial += text;
    if (this.partial.length <= maxPartialLength) return;
    const overwrittenTo = this.partial.replace(/\r+$/, '').lastIndexOf('\r') + 1;
    if (overwrittenTo > 0) this.partial = this.partial.slice(overwrittenTo);
    if (this.partial.length <= maxPartialLength) return;
    this.overflow += this.partial.length - maxPartialLength;
    this.partial = cutHead(this.partial, maxPartialLength);
  }

  private finishLine(): void {
    const clean = this.keys.line(cleanLine(this.partial));
    const line = clean === null ? null : cutLine(clean, this.overflow);
    this.partial = '';
    this.overflow = 0;
    if (line === null) return;
    this.count += 1;
    if (this.head.length < headLines) {
      this.head.push(line);
      return;
    }
    this.tail.push(line);
    if (this.tail.length > tailLines) this.tail.shift();
  }
}

/** Returns the whole output without control sequences and keys. Overwritten lines appear as a terminal displays them. */
export function plainOutput(text: string): string {
  const keys = new KeyRedactor();
  return text
    .split('\n')
    .flatMap((line) => keys.line(cleanLine(line)) ?? [])
    .join('\n');
}

/** Formats complete output that is in memory. */
export function formatOutput(text: string): FormattedOutput {
  const collector = new OutputCollector();
  collector.push(text);
  return collector.format();
}

/** Matches shell integration marks (`OSC 633`), also without their escape character, which some terminal layers remove. */
const shellMarks = /\u001b?\]633;[^\u0007\u001b\n]*(?:\u0007|\u001b\\|$)/g;
/** Matches operating system commands (OSC), such as a title, that are truncated at the end of the line. */
const openCommand = /\u001b\][^\u0007\u001b]*$/;
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

function cleanLine(raw: string): string {
  let line = stripAnsi(raw.replace(shellMarks, '')).replace(openCommand, '');
  if (line.includes('\r')) line = lastWritten(line);
  while (line.includes('\b')) line = line.replace(/[^\u0008]\u0008/g, '').replace(/^\u0008+/, '');
  return line.replace(controls, '').trimEnd();
}

function cutLine(line: string, overflow: number): string {
  const cut = line.length - maxLineLength + overflow;
  return cut > 0 && line.length >= maxLineLength ? `${cutHead(line, maxLineLength)}… [${cut} characters cut]` : line;
}

/** Replaces a last word that may be the start of a key, because a part of a key is secret too. */
function withoutPartialKey(line: string): string {
  return line.replace(/(?=\S*[A-Za-z])(?=\S*[\d_])[\w+/=.~-]{8,}$/, '…');
}

/** Returns the last text written to a line. A progress display overwrites its line, so only the last text is visible. */
function lastWritten(line: string): string {
  const written = line.split('\r').filter((part) => part.trim() !== '');
  return written[written.length - 1] ?? '';
}
