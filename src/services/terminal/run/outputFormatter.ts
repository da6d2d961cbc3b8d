import stripAnsi from 'strip-ansi';

const headLines = 15;
const tailLines = 85;
/** Characters of a line that are kept. */
const maxLineLength = 1000;
/** Characters of an unfinished line that are held; what a cleaned line can lose beyond `maxLineLength` is only escapes. */
const maxPartialLength = 16 * maxLineLength;

export interface FormattedOutput {
  /** Cleaned lines without the final newline; `[N lines truncated]` stands for the middle that was left out. */
  text: string;
  truncatedLines: number;
}

/** Collects terminal output of any size in bounded memory: the first 15 and the last 85 lines, free of control sequences. */
export class OutputCollector {
  private readonly head: string[] = [];
  private readonly tail: string[] = [];
  private count = 0;
  private partial = '';
  private overflow = 0;

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.grow(text.slice(from, end));
      this.finishLine();
      from = end + 1;
    }
    this.grow(text.slice(from));
  }

  /** Formats the output so far; an unfinished last line counts as a line. */
  format(): FormattedOutput {
    const last = cleanLine(this.partial, this.overflow);
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
    return { text: lines.join('\n').trimEnd(), truncatedLines };
  }

  private grow(text: string): void {
    this.partial += text;
    if (this.partial.length <= maxPartialLength) return;
    const overwrittenTo = this.partial.replace(/\r+$/, '').lastIndexOf('\r') + 1;
    if (overwrittenTo > 0) this.partial = this.partial.slice(overwrittenTo);
    if (this.partial.length <= maxPartialLength) return;
    this.overflow += this.partial.length - maxPartialLength;
    this.partial = this.partial.slice(0, maxPartialLength);
  }

  private finishLine(): void {
    const line = cleanLine(this.partial, this.overflow);
    this.partial = '';
    this.overflow = 0;
    this.count += 1;
    if (this.head.length < headLines) {
      this.head.push(line);
      return;
    }
    this.tail.push(line);
    if (this.tail.length > tailLines) this.tail.shift();
  }
}

/** Returns all of an output without control sequences, line by line as a person sees it. */
export function plainOutput(text: string): string {
  return text
    .split('\n')
    .map((line) => cleanLine(line, 0))
    .join('\n');
}

/** Formats output at once that is already in memory. */
export function formatOutput(text: string): FormattedOutput {
  const collector = new OutputCollector();
  collector.push(text);
  return collector.format();
}

/** Shell integration marks (`OSC 633`), also where a layer before has eaten the escape character. */
const shellMarks = /\u001b?\]633;[^\u0007\u001b\n]*(?:\u0007|\u001b\\|$)/g;
/** Title and other operating system commands that were cut off at the end of the line. */
const openCommand = /\u001b\][^\u0007\u001b]*$/;
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

function cleanLine(raw: string, overflow: number): string {
  let line = stripAnsi(raw.replace(shellMarks, '')).replace(openCommand, '');
  if (line.includes('\r')) line = lastWritten(line);
  while (line.includes('\b')) line = line.replace(/[^\u0008]\u0008/g, '').replace(/^\u0008+/, '');
  line = line.replace(controls, '').trimEnd();
  const cut = line.length - maxLineLength + overflow;
  return cut > 0 && line.length >= maxLineLength ? `${line.slice(0, maxLineLength)}… [${cut} characters cut]` : line;
}

/** Returns what was written last to a line: a progress display writes over its line, and a person would see only that. */
function lastWritten(line: string): string {
  const written = line.split('\r').filter((part) => part.trim() !== '');
  return written[written.length - 1] ?? '';
}
