/** Truncates a text stream at the first stop sequence. Holds back text that may become a stop sequence. Never emits the sequence itself. */
export class StopCutter {
  private held = '';
  private cut = false;

  constructor(private readonly stops: readonly string[]) {}

  /** True after a stop sequence. All later text is discarded. */
  get stopped(): boolean {
    return this.cut;
  }

  /** Adds a piece and returns the text that may be sent. */
  push(piece: string): string {
    if (this.cut) return '';
    const text = this.held + piece;
    const at = this.firstStop(text);
    if (at !== undefined) {
      this.cut = true;
      this.held = '';
      return text.slice(0, at);
    }
    const keep = this.possibleStart(text);
    this.held = text.slice(text.length - keep);
    return text.slice(0, text.length - keep);
  }

  /** Returns the text that was held back but is not a stop sequence. */
  flush(): string {
    const text = this.held;
    this.held = '';
    return text;
  }

  private firstStop(text: string): number | undefined {
    const found = this.stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
    return found.length > 0 ? Math.min(...found) : undefined;
  }

  private possibleStart(text: string): number {
    let longest = 0;
    for (const stop of this.stops) {
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(stop.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}
