import type { CompletionDocument, Suggestion } from '../completionTypes';

/** Suggestion on screen, as far as known, and the work done ahead since it was shown. */
export class OnScreen {
  hasSpeculated = false;
  hasWarmed = false;

  constructor(
    readonly document: CompletionDocument,
    readonly suggestion: Suggestion,
    /** Previous suggestion. */
    before: OnScreen | undefined,
  ) {
    if (before?.end !== this.end) return;
    this.isSame = true;
    this.hasSpeculated = before.hasSpeculated;
    this.hasWarmed = before.hasWarmed;
  }

  /** True if it is the previous suggestion, of which a part was typed. */
  readonly isSame: boolean = false;

  /** Document after the suggestion is accepted. */
  get accepted(): CompletionDocument {
    const { document, suggestion } = this;
    return { ...document, before: this.end, after: document.after.slice(suggestion.replaces) };
  }

  /** Tells whether a cursor is on the path of the suggestion. */
  isOnPath({ uri, before }: CompletionDocument): boolean {
    return uri === this.document.uri && this.end.startsWith(before);
  }

  private get end(): string {
    return this.document.before + this.suggestion.text;
  }
}
