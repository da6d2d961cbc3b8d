import type { CompletionDocument, Suggestion } from '../completionTypes';

/** Suggestion that is on the screen, as far as is known, and what was done ahead since it was shown. */
export class OnScreen {
  hasSpeculated = false;
  hasWarmed = false;

  constructor(
    readonly document: CompletionDocument,
    readonly suggestion: Suggestion,
    /** Suggestion that was there before. */
    before: OnScreen | undefined,
  ) {
    if (before?.end !== this.end) return;
    this.isSame = true;
    this.hasSpeculated = before.hasSpeculated;
    this.hasWarmed = before.hasWarmed;
  }

  /** True if it is the suggestion of before, of which a part has been typed. */
  readonly isSame: boolean = false;

  /** Document as it is when the suggestion is accepted. */
  get accepted(): CompletionDocument {
    const { document, suggestion } = this;
    return { ...document, before: this.end, after: document.after.slice(suggestion.replaces) };
  }

  /** Tells whether a cursor is where the suggestion leads. */
  isAlong({ uri, before }: CompletionDocument): boolean {
    return uri === this.document.uri && this.end.startsWith(before);
  }

  private get end(): string {
    return this.document.before + this.suggestion.text;
  }
}
