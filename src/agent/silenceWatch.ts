import type { Clock } from '../utils/clock';
import type { Run } from './run';

/** Long enough for a slow model to write a long call, during which nothing is sent. Milliseconds. */
const longSilence = 120_000;

/** Says when an answer that has begun falls silent. A notice: the answer may still go on, and then is told to. */
export class SilenceWatch {
  private readonly over = new AbortController();
  private last: number;
  private isSilent = false;

  constructor(
    private readonly clock: Clock,
    private readonly run: Pick<Run, 'report' | 'signal'>,
  ) {
    this.last = clock.now();
    this.watch(AbortSignal.any([this.over.signal, run.signal])).catch(() => undefined);
  }

  /** Something has come. */
  heard(): void {
    this.last = this.clock.now();
    if (this.isSilent) this.run.report({ kind: 'answering', since: this.last });
    this.isSilent = false;
  }

  stop(): void {
    this.over.abort();
  }

  private async watch(signal: AbortSignal): Promise<void> {
    for (let rest = longSilence; ;) {
      await this.clock.sleep(rest, signal);
      const silent = this.clock.now() - this.last;
      if (silent >= longSilence && !this.isSilent) {
        this.isSilent = true;
        this.run.report({ kind: 'silent', since: this.last });
      }
      rest = this.isSilent ? longSilence : longSilence - silent;
    }
  }
}
