import type { AttachmentRef } from '../../protocol/entries';
import type { Disposable } from '../../utils/disposable';

/** Measures the attachments of a draft in the background. Starts when an attachment is added and stops if it is removed. */
export class DraftLengths implements Disposable {
  private readonly lengths = new Map<string, number>();
  private measuring = new AbortController();

  constructor(
    private readonly measure: (item: AttachmentRef, signal: AbortSignal) => Promise<number>,
    private readonly onDidMeasure: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Total number of characters in the measured attachments. */
  get total(): number {
    return [...this.lengths.values()].reduce((sum, length) => sum + length, 0);
  }

  /** Replaces the attachments. Cancels running measurements and restarts those that are still needed. */
  set(items: readonly AttachmentRef[]): void {
    this.measuring.abort();
    const { signal } = (this.measuring = new AbortController());
    const added = new Map(items.map((item) => [JSON.stringify(item), item]));
    for (const key of this.lengths.keys()) if (!added.delete(key)) this.lengths.delete(key);
    for (const [key, item] of added) this.measureOne(key, item, signal).catch(this.onError);
  }

  dispose(): void {
    this.measuring.abort();
  }

  private async measureOne(key: string, item: AttachmentRef, signal: AbortSignal): Promise<void> {
    const length = await this.measure(item, signal);
    if (signal.aborted) return;
    this.lengths.set(key, length);
    if (length > 0) this.onDidMeasure();
  }
}
