import { blockEnd } from '../text/blockEnd';
import { cleanCompletion, type RawCompletion } from '../text/cleanCompletion';
import type { CompletionDocument, CompletionModel } from '../completionTypes';
import { withoutClosers } from '../text/closers';

/** Cursor and scope of a request. */
export interface RequestStart {
  document: CompletionDocument;
  model: CompletionModel;
  multiline: boolean;
  /** True if the request assumes that the shown suggestion is accepted. */
  isSpeculative: boolean;
}

/** Part of an answer for a cursor. `wait`: nothing complete has arrived. `diverged`: the typed text differs from the answer. */
export type Offer =
  | { kind: 'text'; text: string; isPartial: boolean }
  | { kind: 'wait' }
  | { kind: 'diverged' }
  | { kind: 'nothing'; because: 'empty' | 'dropped' };

/** Holds the streamed answer of one request, and compares it with the text typed meanwhile. */
export class PendingRequest {
  raw = '';
  isDone = false;
  failure: Error | undefined;
  private readonly controller = new AbortController();
  private known: { raw: string; text: string | undefined } | undefined;
  private readonly waiting = new Set<() => void>();

  constructor(readonly start: RequestStart) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Returns the cleaned answer so far, from the cursor of the request. */
  get cleaned(): string | undefined {
    if (this.known?.raw !== this.raw) this.known = { raw: this.raw, text: this.clean(this.raw, this.start.multiline) };
    return this.known.text;
  }

  /** True if the block at the cursor has ended, so that further text does not belong to it. */
  get isPastBlock(): boolean {
    return this.start.multiline && this.raw.endsWith('\n') && blockEnd(this.raw, this.rawCompletion(this.raw, true)) >= 0;
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

  /** Cancels the request; the text so far stays. */
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

  /** Tells whether the request is for this cursor, or for one reached by typing along the answer. */
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
    if (typed === undefined || !this.agreesWithTyped(typed)) return { kind: 'diverged' };
    if (this.isDone) return this.finalOffer(typed);
    const end = this.start.multiline ? endOfFirstLine(this.raw, typed.length) : -1;
    const text = end < 0 ? undefined : this.clean(this.raw.slice(0, end), true);
    const rest = text?.startsWith(typed) ? text.slice(typed.length) : '';
    return rest.trim() === '' ? { kind: 'wait' } : { kind: 'text', text: rest, isPartial: true };
  }

  private finalOffer(typed: string): Offer {
    const { cleaned } = this;
    if (cleaned === undefined) return { kind: 'nothing', because: this.raw.trim() === '' ? 'empty' : 'dropped' };
    if (!cleaned.startsWith(typed)) return { kind: 'diverged' };
    const text = cleaned.slice(typed.length);
    return text === '' ? { kind: 'diverged' } : { kind: 'text', text, isPartial: false };
  }

  private agreesWithTyped(typed: string): boolean {
    const shown = this.cleaned ?? '';
    return [this.raw, shown].some((text) => text.startsWith(typed) || (!this.isDone && typed.startsWith(text)));
  }

  private clean(raw: string, multiline: boolean): string | undefined {
    return cleanCompletion(this.rawCompletion(raw, multiline));
  }

  private rawCompletion(raw: string, multiline: boolean): RawCompletion {
    const { document, model } = this.start;
    const { before: prefix, after: suffix, languageId } = document;
    const family = model.ask.way === 'raw' ? model.ask.family.name : null;
    return { raw, prefix, suffix, languageId, multiline, family };
  }

  private wake(): void {
    for (const wake of [...this.waiting]) wake();
  }
}

/** Tells whether the text after the cursor is equal, except for brackets and quotes that the editor closed automatically. */
function isSamePlace(one: CompletionDocument, other: CompletionDocument): boolean {
  return one.uri === other.uri && (one.after === other.after || withoutClosers(one.after) === withoutClosers(other.after));
}

/** Returns the text typed between two cursors; undefined if text was also removed. */
function typedSince(from: CompletionDocument, to: CompletionDocument): string | undefined {
  return to.before.startsWith(from.before) ? to.before.slice(from.before.length) : undefined;
}

/** Returns the end of the first complete line with text beyond what was typed; -1 without one. */
function endOfFirstLine(text: string, typed: number): number {
  for (let end = text.indexOf('\n', typed); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (text.slice(typed, end).trim() !== '') return end;
  }
  return -1;
}
