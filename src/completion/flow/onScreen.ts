import type { CompletionDocument, Suggestion } from '../completionTypes';

/** Displayed suggestion, as far as its text has arrived. Also records the requests sent in advance since it was displayed. */
export class OnScreen {
  hasSpeculated = false;
  hasWarmed = false;

  constructor(
    readonly document: CompletionDocument,
    readonly suggestion: Suggestion,
    /** Previously displayed suggestion. */
    before: OnScreen | undefined,
  ) {
    if (before?.end !== this.end) return;
    this.isSame = true;
    this.hasSpeculated = before.hasSpeculated;
    this.hasWarmed = before.hasWarmed;
  }

  /** True if this is the rest of the previous suggestion after the user typed a part of it. */
  readonly isSame: boolean = false;

  /** Document after the suggestion is accepted. */
  get accepted(): CompletionDocument {
    const { document, suggestion } = this;
    return { ...document, before: this.end, after: document.after.slice(suggestion.replaces) };
  }

  /** Returns whether a cursor can be reached by typing the suggested text. */
  isOnPath({ uri, before }: CompletionDocument): boolean {
    return uri === this.document.uri && this.end.startsWith(before);
  }

  private get end(): string {
    return this.document.before + this.suggestion.text;
  }
}
