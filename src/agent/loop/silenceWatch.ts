import type { Activity } from '../../protocol/webviewEvents';
import type { Clock } from '../../utils/clock';
import type { Run } from '../kernel/run';

/** Time in milliseconds that a slow model may need to write a long call. The server sends nothing during this time. */
const longSilence = 120_000;
/** Silence in milliseconds that indicates a call, and the factor by which it must exceed the usual pause of a slow model. */
const callSilence = 2000;
const slowPauseFactor = 6;

/** Writing speed of a model and token limit of its answer. The limit is null if only the server knows it. */
export type WritingFacts = NonNullable<Extract<Activity, { kind: 'preparing' }>['writing']>;

/** Reports when an answer stops sending chunks and when it continues. */
export class SilenceWatch {
  private readonly over = new AbortController();
  private readonly since: number;
  private last: number;
  private chunkCount = 0;
  private reported: 'preparing' | 'silent' | null = null;
  /** Activity to report while chunks arrive. */
  private usual: Activity;

  constructor(
    private readonly clock: Clock,
    private readonly run: Pick<Run, 'report' | 'signal'>,
    /** Kind of calls that may arrive. The server sends these calls only when they are complete. */
    private readonly expected: 'call' | 'editOrCall' | null = null,
    /** Speed and limit of the model, or null if nothing was measured. */
    private readonly writing: WritingFacts | null = null,
  ) {
    this.since = this.last = clock.now();
    this.usual = { kind: 'answering', since: this.last };
    this.watch(AbortSignal.any([this.over.signal, run.signal])).catch(() => undefined);
  }

  chunkArrived(): void {
    this.last = this.clock.now();
    this.chunkCount += 1;
    if (this.reported === null) return;
    this.reported = null;
    this.setActivity(this.usual.kind === 'answering' ? { kind: 'answering', since: this.last } : this.usual);
  }

  setActivity(activity: Activity): void {
    this.usual = activity;
    this.run.report(activity);
  }

  stop(): void {
    this.over.abort();
  }

  private async watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      const silent = this.clock.now() - this.last;
      if (silent >= longSilence) this.reportOnce('silent', { kind: 'silent', since: this.last });
      else if (this.expected !== null && this.usual.kind === 'answering' && silent >= this.pause)
        this.reportOnce('preparing', {
          kind: 'preparing',
          work: this.expected,
          since: this.last,
          ...(this.writing && { writing: this.writing }),
        });
      const next = this.expected !== null && silent < this.pause ? this.pause : longSilence;
      await this.clock.sleep(Math.max(1, silent >= longSilence ? longSilence : next - silent), signal);
    }
  }

  private get pause(): number {
    const usual = this.chunkCount < 2 ? 0 : (this.last - this.since) / (this.chunkCount - 1);
    return Math.min(longSilence, Math.max(callSilence, usual * slowPauseFactor));
  }

  private reportOnce(what: 'preparing' | 'silent', activity: Activity): void {
    if (this.reported === what) return;
    this.reported = what;
    this.run.report(activity);
  }
}
