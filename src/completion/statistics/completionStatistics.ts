import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { countsFrom, addCounts, type CompletionCounts } from './completionCounts';
import { AcceptedText, type RetentionChange } from './retention';

/** Local store of the counts. */
export interface CountStore {
  /** Adds counts to the totals for a day (`2026-11-23`) and a model. */
  add(day: string, model: string, counts: CompletionCounts): Promise<void>;
}

/** Milliseconds to wait before counts are stored. */
const storeAfter = 20_000;

/** Counts displayed, accepted and retained suggestions. The counts never leave this machine. */
export class CompletionStatistics implements Disposable {
  private readonly counted = new Map<string, CompletionCounts>();
  private readonly accepted = new Set<AcceptedText>();
  private readonly lifetime = new AbortController();
  private isStoring = false;

  constructor(
    private readonly store: CountStore,
    /** Returns the text of an open document. Returns undefined if the document is closed. */
    private readonly textOf: (uri: string) => string | undefined,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  count(model: string, counts: Partial<CompletionCounts>): void {
    const known = this.counted.get(model) ?? countsFrom({});
    this.counted.set(model, addCounts(known, countsFrom(counts)));
    if (!this.isStoring) void this.storeLater();
  }

  /** Records that the user accepted a suggestion, or a part of it, at an offset. Checks later how much of the text remains. */
  accept(model: string, uri: string, offset: number, text: string, isWhole = true): void {
    this.count(model, { accepted: isWhole ? 1 : 0, acceptedChars: text.length });
    const accepted = new AcceptedText(uri, text, offset);
    this.accepted.add(accepted);
    void this.judge(model, accepted);
  }

  noteChange(uri: string, change: RetentionChange): void {
    for (const accepted of this.accepted) if (accepted.uri === uri) accepted.apply(change);
  }

  async flush(): Promise<void> {
    const day = new Date(this.clock.now()).toISOString().slice(0, 10);
    for (const [model, counts] of [...this.counted]) {
      this.counted.delete(model);
      await this.store.add(day, model, counts).catch((error: unknown) => this.logger.warn('Could not store counts', error));
    }
  }

  async dispose(): Promise<void> {
    this.lifetime.abort();
    await this.flush();
  }

  private async judge(model: string, accepted: AcceptedText): Promise<void> {
    try {
      await this.clock.sleep(30_000, this.lifetime.signal);
      this.look(accepted, (judged, retained) => this.count(model, { judged30: judged, retained30: retained }));
      await this.clock.sleep(270_000, this.lifetime.signal);
      this.look(accepted, (judged, retained) => this.count(model, { judged300: judged, retained300: retained }));
    } catch (error) {
      if (!isCancelled(error)) this.logger.warn('Could not look what is left of a suggestion', error);
    } finally {
      this.accepted.delete(accepted);
    }
  }

  /** Counts the remaining characters. Does nothing if the document is closed. */
  private look(accepted: AcceptedText, tell: (judged: number, retained: number) => void): void {
    const text = this.textOf(accepted.uri);
    if (text !== undefined) tell(accepted.text.length, accepted.retainedIn(text));
  }

  private async storeLater(): Promise<void> {
    this.isStoring = true;
    try {
      await this.clock.sleep(storeAfter, this.lifetime.signal);
      await this.flush();
    } catch (error) {
      if (!isCancelled(error)) this.logger.warn('Could not store counts', error);
    } finally {
      this.isStoring = false;
    }
  }
}
