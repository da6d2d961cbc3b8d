/** `wasThinking` has no text: it says that all the text so far was thinking, whose opener was in the template. */
export interface Segment {
  kind: 'thinking' | 'text' | 'wasThinking';
  text: string;
}

const opener = '<think>';
const closer = '</think>';

/**
 * Tells thinking from text in the `content` of an answer, whatever pieces it comes in: `<think>…</think>` is thinking, a
 * closer without an opener makes thinking of the text before it, and the completion mark is taken out. Tags inside code
 * are text: there the model talks about them.
 */
export class ContentSplitter {
  private pending = '';
  private isThinking = false;
  private hasTag = false;
  private hasText = false;
  private hasMark = false;
  private code = new CodeTracker();

  constructor(private readonly completionMark: string | null) {}

  /** Whether the completion mark has come by. */
  get isMarkedComplete(): boolean {
    return this.hasMark;
  }

  push(text: string): Segment[] {
    this.pending += text;
    return this.drain(false);
  }

  /** What is still held back because it could have been the beginning of a tag. */
  flush(): Segment[] {
    return this.drain(true);
  }

  private drain(isEnd: boolean): Segment[] {
    const segments: Segment[] = [];
    for (let mark = this.nextMark(); mark !== null; mark = this.nextMark()) {
      this.emit(segments, this.pending.slice(0, mark.index));
      this.pending = this.pending.slice(mark.index + mark.text.length);
      if (mark.text === this.completionMark) this.hasMark = true;
      else if (!this.isThinking && this.code.isInside) this.emit(segments, mark.text);
      else this.turn(mark.text, segments);
    }
    const end = this.pending.length - (isEnd ? 0 : this.heldBack());
    this.emit(segments, this.pending.slice(0, end));
    this.pending = this.pending.slice(end);
    return segments;
  }

  private turn(tag: string, segments: Segment[]): void {
    if (tag === closer && !this.hasTag && this.hasText) {
      segments.push({ kind: 'wasThinking', text: '' });
      this.code = new CodeTracker();
    }
    this.hasTag = true;
    this.isThinking = tag === opener;
  }

  private get marks(): string[] {
    if (this.isThinking) return [closer];
    return this.completionMark === null ? [opener, closer] : [opener, closer, this.completionMark];
  }

  private nextMark(): { index: number; text: string } | null {
    let first: { index: number; text: string } | null = null;
    for (const text of this.marks) {
      const index = this.pending.indexOf(text);
      if (index >= 0 && (first === null || index < first.index)) first = { index, text };
    }
    return first;
  }

  /** Length of the longest end of `pending` that a mark may begin with. */
  private heldBack(): number {
    const longest = Math.max(...this.marks.map((mark) => mark.length)) - 1;
    for (let length = Math.min(longest, this.pending.length); length > 0; length -= 1) {
      const end = this.pending.slice(-length);
      if (this.marks.some((mark) => mark.startsWith(end))) return length;
    }
    return 0;
  }

  private emit(segments: Segment[], text: string): void {
    if (text === '') return;
    const kind = this.isThinking ? 'thinking' : 'text';
    if (kind === 'text') {
      this.code.follow(text);
      this.hasText ||= text.trim() !== '';
    }
    const last = segments.at(-1);
    if (last?.kind === kind) last.text += text;
    else segments.push({ kind, text });
  }
}

const fenceOpening = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
const fenceClosing = /^[\s>]*(`{3,}|~{3,})\s*$/;

/** Whether Markdown that comes in pieces is inside code at its end. */
class CodeTracker {
  private fence: string | null = null;
  /** The line that has not ended yet. */
  private line = '';

  follow(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.pass(line);
  }

  get isInside(): boolean {
    return this.fence !== null || isInsideInlineCode(this.line);
  }

  private pass(line: string): void {
    if (this.fence === null) this.fence = fenceOpening.exec(line)?.[1] ?? null;
    // A fence ends with at least as many of the same sign.
    else if (fenceClosing.exec(line)?.[1]?.startsWith(this.fence)) this.fence = null;
  }
}

/** Inline code ends with as many backticks as it began with. */
function isInsideInlineCode(line: string): boolean {
  let open = 0;
  for (const [{ length }] of line.matchAll(/`+/g)) {
    if (open === 0) open = length;
    else if (open === length) open = 0;
  }
  return open > 0;
}
