import { blockEnd } from '../text/blockEnd';
import { cleanCompletion, type RawCompletion } from '../text/cleanCompletion';
import type { CompletionDocument, CompletionModel } from '../completionTypes';
import { withoutClosers } from '../text/closers';

/** Cursor and settings with which a request starts. */
export interface RequestStart {
  document: CompletionDocument;
  model: CompletionModel;
  multiline: boolean;
  /** True if the request assumes that the user accepts the displayed suggestion. */
  isSpeculative: boolean;
}

/**
 * Part of a response for a cursor. `wait`: no complete line has arrived. `diverged`: the typed text differs from the response.
 */
export type Offer =
  | { kind: 'text'; text: string; isPartial: boolean }
  | { kind: 'wait' }
  | { kind: 'diverged' }
  | { kind: 'nothing'; because: 'empty' | 'dropped' };

/** Collects the streamed response of one request, and compares it with the text that the user types in the meantime. */
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

  /** Returns the cleaned response so far, starting at the cursor of the request. */
  get cleaned(): string | undefined {
    if (this.known?.raw !== this.raw) this.known = { raw: this.raw, text: this.clean(this.raw, this.start.multiline) };
    return this.known.text;
  }

  /** True if the block at the cursor has ended. Further text does not belong to it. */
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

  /** Cancels the request. The text that has arrived stays available. */
  close(): void {
    this.controller.abort();
  }

  /** Resolves when the next part of the response arrives, when the response ends, or when the signal is aborted. */
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

  /** Returns whether the request was sent for this cursor, or the text typed since then agrees with the response. */
  agreesWith(document: CompletionDocument): boolean {
    const { start } = this;
    if (!isSamePlace(document, start.document)) return false;
    if (start.isSpeculative && start.document.before.startsWith(document.before)) return true;
    const typed = typedSince(start.document, document);
    return typed !== undefined && this.agreesWithTyped(typed);
  }

  /** Returns the part of the response that can be displayed at this cursor now. */
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

/** Returns whether the text after the cursor is the same, apart from brackets and quotes that the editor closed automatically. */
function isSamePlace(one: CompletionDocument, other: CompletionDocument): boolean {
  return one.uri === other.uri && (one.after === other.after || withoutClosers(one.after) === withoutClosers(other.after));
}

/** Returns the text typed between two cursors. Returns undefined if text was also removed. */
function typedSince(from: CompletionDocument, to: CompletionDocument): string | undefined {
  return to.before.startsWith(from.before) ? to.before.slice(from.before.length) : undefined;
}

/** Returns the end of the first complete line with text beyond the typed text. Returns -1 if there is none. */
function endOfFirstLine(text: string, typed: number): number {
  for (let end = text.indexOf('\n', typed); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (text.slice(typed, end).trim() !== '') return end;
  }
  return -1;
}
