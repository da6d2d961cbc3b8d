import { ToolCallParser, type AnswerPiece } from './toolCallParser';

/**
 * `wasThinking` means that all text so far was thinking. Its opening
 * tag was in the chat template, or it continued after a nested tag.
 */
export type Segment = AnswerPiece | { kind: 'thinking'; text: string } | { kind: 'wasThinking'; isNested?: true };

interface ThinkingTag {
  opener: string;
  closer: string;
}

const closer = '</think>';
/** Tags around thinking. Servers without support for the gpt-oss format leave its tags in the text. */
const thinkingTags: readonly ThinkingTag[] = [
  { opener: '<think>', closer },
  { opener: '<|channel|>analysis<|message|>', closer: '<|end|>' },
  { opener: '<|start|>assistant<|channel|>analysis<|message|>', closer: '<|end|>' },
];
/** Tokens of gpt-oss around an answer. They contain no text. */
const dropped = ['<|start|>assistant<|channel|>final<|message|>', '<|channel|>final<|message|>', '<|return|>'];
const textMarks = [...thinkingTags.map(({ opener }) => opener), closer, ...dropped];

/**
 * Separates thinking from text in the streamed `content` of an answer. Text between `thinkingTags` is
 * thinking. A closing tag without an opening tag turns the text before it into thinking. So does the
 * second closing tag after a nested opening tag. Removes the completion mark. Tags in code and in
 * calls remain text, because the model writes about them. `calls` extracts the calls from the text.
 */
export class ContentSplitter {
  private pending = '';
  /** Tag of the thinking that is currently open. */
  private thinking: ThinkingTag | null = null;
  private hasTag = false;
  private hasText = false;
  private hasMark = false;
  /** Number of nested opening tags without a closing tag. */
  private nested = 0;

  constructor(
    private readonly completionMark: string | null,
    private readonly calls = new ToolCallParser(null),
  ) {}

  /** True if the completion mark was found. */
  get isMarkedComplete(): boolean {
    return this.hasMark;
  }

  /** True if the rest of the answer is invented and therefore ignored. */
  get isInvented(): boolean {
    return this.calls.isInvented;
  }

  /** Tool of the last call that remained text because of the words before it, or null if there is none. */
  get heldCall(): string | null {
    return this.calls.heldCall;
  }

  /** Text of an incomplete call so far, or null if there is none. */
  get written(): string | null {
    return this.calls.written;
  }

  push(text: string): Segment[] {
    this.pending += text;
    return this.drain(false);
  }

  /** Returns the text that was withheld because it could begin a tag or a call. `isCutOff` is true if the answer was truncated. */
  flush(isCutOff = false): Segment[] {
    return [...this.drain(true), ...this.calls.flush(isCutOff)];
  }

  private drain(isEnd: boolean): Segment[] {
    const segments: Segment[] = [];
    for (let mark = this.nextMark(); mark !== null; mark = this.nextMark()) {
      this.emit(segments, this.pending.slice(0, mark.index));
      this.pending = this.pending.slice(mark.index + mark.text.length);
      if (mark.text === this.completionMark && !this.calls.isHidden) this.hasMark = true;
      else if (!this.thinking && (mark.text === this.completionMark || this.calls.isVerbatim)) this.emit(segments, mark.text);
      else this.turn(mark.text, segments);
    }
    const end = this.pending.length - (isEnd ? 0 : this.heldBack());
    this.emit(segments, this.pending.slice(0, end));
    this.pending = this.pending.slice(end);
    return segments;
  }

  private turn(tag: string, segments: Segment[]): void {
    if (dropped.includes(tag)) return;
    if (this.thinking && tag === this.thinking.opener) {
      this.nested += 1;
      this.emit(segments, tag);
      return;
    }
    const opened = this.thinking ? null : (thinkingTags.find(({ opener }) => opener === tag) ?? null);
    if (opened) this.nested = 0;
    else if (!this.thinking && this.nested > 0) {
      this.nested -= 1;
      segments.push(...this.calls.startOver(), { kind: 'wasThinking', isNested: true });
    } else if (!this.thinking && !this.hasTag && this.hasText) {
      segments.push(...this.calls.startOver(), { kind: 'wasThinking' });
    }
    this.hasTag = true;
    this.thinking = opened;
  }

  private get marks(): readonly string[] {
    if (this.thinking) return [this.thinking.opener, this.thinking.closer];
    return this.completionMark === null ? textMarks : [...textMarks, this.completionMark];
  }

  private nextMark(): { index: number; text: string } | null {
    let first: { index: number; text: string } | null = null;
    for (const text of this.marks) {
      const index = this.pending.indexOf(text);
      if (index >= 0 && (first === null || index < first.index)) first = { index, text };
    }
    return first;
  }

  /** Returns the length of the longest suffix of `pending` that may be the beginning of a mark. */
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
    if (!this.thinking) {
      this.hasText ||= text.trim() !== '';
      for (const piece of this.calls.push(text)) append(segments, piece);
    } else append(segments, { kind: 'thinking', text });
  }
}

function append(segments: Segment[], next: Segment): void {
  const last = segments.at(-1);
  if ((next.kind === 'text' || next.kind === 'thinking') && last?.kind === next.kind) last.text += next.text;
  else segments.push(next);
}
