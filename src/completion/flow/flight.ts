import { blockEnd } from '../text/blockEnd';
import { cleanCompletion, type Dirty } from '../text/cleanCompletion';
import type { CompletionDocument, CompletionModel } from '../completionTypes';
import { withoutClosers } from '../text/closers';

/** Cursor for which a request was sent, and how much was asked for. */
export interface FlightStart {
  document: CompletionDocument;
  model: CompletionModel;
  multiline: boolean;
  /** True if it was sent for the text that stands there when the suggestion on screen is accepted. */
  isSpeculative: boolean;
}

/** A part of an answer for a cursor. `wait`: nothing whole has come yet. `departed`: something else was typed. */
export type Offer =
  | { kind: 'text'; text: string; isPartial: boolean }
  | { kind: 'wait' }
  | { kind: 'departed' }
  | { kind: 'nothing'; because: 'empty' | 'dropped' };

/** Holds one request's answer as it comes, and tells how it agrees with what is typed meanwhile. */
export class Flight {
  raw = '';
  isDone = false;
  /** Error that ended it. */
  failure: Error | undefined;
  private readonly controller = new AbortController();
  private known: { raw: string; text: string | undefined } | undefined;
  private readonly waiting = new Set<() => void>();

  constructor(readonly start: FlightStart) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Returns the cleaned answer as far as it has come, from the cursor for which it was asked. */
  get cleaned(): string | undefined {
    if (this.known?.raw !== this.raw) this.known = { raw: this.raw, text: this.clean(this.raw, this.start.multiline) };
    return this.known.text;
  }

  /** True if the block at the cursor has ended: what still comes is another thing. */
  get isPastBlock(): boolean {
    return this.start.multiline && this.raw.endsWith('\n') && blockEnd(this.raw, this.dirty(this.raw, true)) >= 0;
  }

  push(text: string): void {
    this.raw += text;
    this.wake();
  }

  finish(failure?: Error): void {
    if (this.isDone) return;
    this.failure = failure;
    this.isDone = true;
    this.wake();
  }

  /** Ends the request; what has come stays. */
  close(): void {
    this.controller.abort();
  }

  /** Resolves with the next piece, at the end, or when the signal fires. */
  changed(signal: AbortSignal): Promise<void> {
    if (this.isDone || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** Tells whether it is about this cursor, or about one that is reached by going on typing as suggested. */
  agreesWith(document: CompletionDocument): boolean {
    const { start } = this;
    if (!isSamePlace(document, start.document)) return false;
    if (start.isSpeculative && start.document.before.startsWith(document.before)) return true;
    const typed = typedSince(start.document, document);
    return typed !== undefined && this.agreesWithTyped(typed);
  }

  /** Returns what can be shown at this cursor now. */
  offerFor(document: CompletionDocument): Offer {
    const typed = isSamePlace(document, this.start.document) ? typedSince(this.start.document, document) : undefined;
    if (typed === undefined || !this.agreesWithTyped(typed)) return { kind: 'departed' };
    if (this.isDone) return this.finalOffer(typed);
    const end = this.start.multiline ? endOfFirstLine(this.raw, typed.length) : -1;
    const text = end < 0 ? undefined : this.clean(this.raw.slice(0, end), true);
    const rest = text?.startsWith(typed) ? text.slice(typed.length) : '';
    return rest.trim() === '' ? { kind: 'wait' } : { kind: 'text', text: rest, isPartial: true };
  }

  private finalOffer(typed: string): Offer {
    const { cleaned } = this;
    if (cleaned === undefined) return { kind: 'nothing', because: this.raw.trim() === '' ? 'empty' : 'dropped' };
    if (!cleaned.startsWith(typed)) return { kind: 'departed' };
    const text = cleaned.slice(typed.length);
    return text === '' ? { kind: 'departed' } : { kind: 'text', text, isPartial: false };
  }

  private agreesWithTyped(typed: string): boolean {
    const shown = this.cleaned ?? '';
    return [this.raw, shown].some((text) => text.startsWith(typed) || (!this.isDone && typed.startsWith(text)));
  }

  private clean(raw: string, multiline: boolean): string | undefined {
    return cleanCompletion(this.dirty(raw, multiline));
  }

  private dirty(raw: string, multiline: boolean): Dirty {
    const { document, model } = this.start;
    const { before: prefix, after: suffix, languageId } = document;
    const family = model.ask.way === 'raw' ? model.ask.family.name : null;
    return { raw, prefix, suffix, languageId, multiline, family };
  }

  private wake(): void {
    for (const wake of [...this.waiting]) wake();
  }
}

/** Tells whether the text after the cursor is the same, but for brackets and quotes that the editor has closed by itself. */
function isSamePlace(one: CompletionDocument, other: CompletionDocument): boolean {
  return one.uri === other.uri && (one.after === other.after || withoutClosers(one.after) === withoutClosers(other.after));
}

/** Returns what was typed from one cursor to the other; undefined where that is not the way. */
function typedSince(from: CompletionDocument, to: CompletionDocument): string | undefined {
  return to.before.startsWith(from.before) ? to.before.slice(from.before.length) : undefined;
}

/** Returns the end of the first line that has more than blanks beyond what was typed; -1 where none is whole yet. */
function endOfFirstLine(text: string, typed: number): number {
  for (let end = text.indexOf('\n', typed); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (text.slice(typed, end).trim() !== '') return end;
  }
  return -1;
}
