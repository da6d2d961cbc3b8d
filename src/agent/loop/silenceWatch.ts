import type { Activity } from '../../protocol/webviewEvents';
import type { Clock } from '../../utils/clock';
import type { Run } from '../kernel/run';

/** Long enough for a slow model to write a long call, during which nothing is sent. Milliseconds. */
const longSilence = 120_000;
/** Milliseconds of silence that mean that a call is being written, and the multiple of a slow model's usual pause. */
const callSilence = 2000;
const slowPauseFactor = 6;

/** Speed of a model, and the tokens that its answer can take at most; null where only the server knows. */
export type WritingFacts = NonNullable<Extract<Activity, { kind: 'preparing' }>['writing']>;

/** Says when an answer that has begun falls silent. A notice: the answer may still go on, and then is told to. */
export class SilenceWatch {
  private readonly over = new AbortController();
  private readonly since: number;
  private last: number;
  private heardCount = 0;
  private reported: 'preparing' | 'silent' | null = null;
  /** Activity that is reported while the answer is not silent. */
  private usual: Activity;

  constructor(
    private readonly clock: Clock,
    private readonly run: Pick<Run, 'report' | 'signal'>,
    /** The calls that can be expected, of which nothing comes before they are whole. */
    private readonly expected: 'call' | 'editOrCall' | null = null,
    /** Speed and limit of the model; null where its speed was not measured. */
    private readonly writing: WritingFacts | null = null,
  ) {
    this.since = this.last = clock.now();
    this.usual = { kind: 'answering', since: this.last };
    this.watch(AbortSignal.any([this.over.signal, run.signal])).catch(() => undefined);
  }

  /** Notes that something has come. */
  heard(): void {
    this.last = this.clock.now();
    this.heardCount += 1;
    if (this.reported === null) return;
    this.reported = null;
    this.say(this.usual.kind === 'answering' ? { kind: 'answering', since: this.last } : this.usual);
  }

  /** Sets the activity that is reported as long as something comes. */
  say(activity: Activity): void {
    this.usual = activity;
    this.run.report(activity);
  }

  stop(): void {
    this.over.abort();
  }

  private async watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      const silent = this.clock.now() - this.last;
      if (silent >= longSilence) this.tell('silent', { kind: 'silent', since: this.last });
      else if (this.expected !== null && this.usual.kind === 'answering' && silent >= this.pause)
        this.tell('preparing', {
          ...{ kind: 'preparing', work: this.expected, since: this.last },
          ...(this.writing && { writing: this.writing }),
        });
      const next = this.expected !== null && silent < this.pause ? this.pause : longSilence;
      await this.clock.sleep(Math.max(1, silent >= longSilence ? longSilence : next - silent), signal);
    }
  }

  private get pause(): number {
    const usual = this.heardCount < 2 ? 0 : (this.last - this.since) / (this.heardCount - 1);
    return Math.min(longSilence, Math.max(callSilence, usual * slowPauseFactor));
  }

  private tell(what: 'preparing' | 'silent', activity: Activity): void {
    if (this.reported === what) return;
    this.reported = what;
    this.run.report(activity);
  }
}
