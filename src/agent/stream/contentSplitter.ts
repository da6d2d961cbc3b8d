import { ToolCallParser, type AnswerPiece } from './toolCallParser';

/** `wasThinking` says that all the text so far was thinking: its opener was in the template, or it went on after thinking inside it. */
export type Segment = AnswerPiece | { kind: 'thinking'; text: string } | { kind: 'wasThinking'; isNested?: true };

interface ThinkingTag {
  opener: string;
  closer: string;
}

const closer = '</think>';
/** Tags around thinking. Those of gpt-oss are left where a server does not know its format. */
const thinkingTags: readonly ThinkingTag[] = [
  { opener: '<think>', closer },
  { opener: '<|channel|>analysis<|message|>', closer: '<|end|>' },
  { opener: '<|start|>assistant<|channel|>analysis<|message|>', closer: '<|end|>' },
];
/** Tokens of gpt-oss around an answer, which say nothing. */
const dropped = ['<|start|>assistant<|channel|>final<|message|>', '<|channel|>final<|message|>', '<|return|>'];
const textMarks = [...thinkingTags.map(({ opener }) => opener), closer, ...dropped];

/**
 * Tells thinking from text in the `content` of an answer, whatever pieces it comes in: what stands between `thinkingTags` is thinking, a
 * closer without an opener, or the second one after an opener inside thinking, makes thinking of the text before it, and the completion mark is taken out. Tags inside code
 * and inside calls are text: there the model talks about them. The text goes through `calls`, which takes calls out of it.
 */
export class ContentSplitter {
  private pending = '';
  /** Tag of the thinking that is open. */
  private thinking: ThinkingTag | null = null;
  private hasTag = false;
  private hasText = false;
  private hasMark = false;
  /** Number of openers inside thinking whose closers have not come. */
  private nested = 0;

  constructor(
    private readonly completionMark: string | null,
    private readonly calls = new ToolCallParser(null),
  ) {}

  /** True once the completion mark has come. */
  get isMarkedComplete(): boolean {
    return this.hasMark;
  }

  /** True once nothing more of the answer counts. */
  get isMadeUp(): boolean {
    return this.calls.isMadeUp;
  }

  /** Text so far of a call that is not whole; null without one. */
  get written(): string | null {
    return this.calls.written;
  }

  push(text: string): Segment[] {
    this.pending += text;
    return this.drain(false);
  }

  /** Returns what was held back because it could have been the beginning of a tag or a call. `isCutOff`: more was to come. */
  flush(isCutOff = false): Segment[] {
    return [...this.drain(true), ...this.calls.flush(isCutOff)];
  }

  private drain(isEnd: boolean): Segment[] {
    const segments: Segment[] = [];
    for (let mark = this.nextMark(); mark !== null; mark = this.nextMark()) {
      this.emit(segments, this.pending.slice(0, mark.index));
      this.pending = this.pending.slice(mark.index + mark.text.length);
      if (mark.text === this.completionMark && !this.calls.isUnspoken) this.hasMark = true;
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

  /** Returns the length of the longest end of `pending` that a mark may begin with. */
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
