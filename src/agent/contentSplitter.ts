export interface Segment {
  kind: 'thinking' | 'text';
  text: string;
}

const opener = '<think>';
const closer = '</think>';

/**
 * Tells thinking from text in the `content` of an answer, whatever pieces it comes in: `<think>…</think>` is thinking, a
 * closer without an opener is dropped (its opener was in the template), and the completion mark is taken out. Tags
 * inside code are text: there the model talks about them.
 */
export class ContentSplitter {
  private pending = '';
  private isThinking = false;
  private isFenced = false;
  /** The current line of the text, for telling code from prose. */
  private line = '';
  private hasMark = false;

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
      else if (!this.isThinking && this.isInCode()) this.emit(segments, mark.text);
      else this.isThinking = mark.text === opener;
    }
    const end = this.pending.length - (isEnd ? 0 : this.heldBack());
    this.emit(segments, this.pending.slice(0, end));
    this.pending = this.pending.slice(end);
    return segments;
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
    if (kind === 'text') this.follow(text);
    const last = segments.at(-1);
    if (last?.kind === kind) last.text += text;
    else segments.push({ kind, text });
  }

  private follow(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) if (/^\s*(```|~~~)/.test(line)) this.isFenced = !this.isFenced;
  }

  private isInCode(): boolean {
    return this.isFenced || (this.line.match(/`/g)?.length ?? 0) % 2 === 1;
  }
}
