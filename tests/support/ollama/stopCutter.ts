/** Cuts a stream of text at the first stop sequence, holding back what may become one. The sequence itself is never emitted. */
export class StopCutter {
  private held = '';
  private cut = false;

  constructor(private readonly stops: readonly string[]) {}

  /** Whether a stop sequence was met; everything after it is swallowed. */
  get stopped(): boolean {
    return this.cut;
  }

  /** What may be sent after this piece. */
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

  /** What was held back and turned out not to be a stop sequence. */
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
