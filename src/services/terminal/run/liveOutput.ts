import type { Clock } from '../../../utils/clock';
import type { OutputCollector } from './outputFormatter';

/** Milliseconds between two reports. */
const reportMs = 250;

/** Reports the output of a running command at intervals. Each report contains the whole text. */
export class LiveOutput {
  private isWaiting = false;
  private readonly over = new AbortController();
  private reported = '';

  constructor(
    private readonly collector: Pick<OutputCollector, 'format'>,
    private readonly clock: Clock,
    private readonly report: (output: string) => void,
  ) {}

  /** Call after each piece of output. */
  note(): void {
    if (this.isWaiting || this.over.signal.aborted) return;
    this.isWaiting = true;
    this.clock.sleep(reportMs, this.over.signal).then(
      () => this.tell(),
      // The command has ended, and its result contains the output.
      () => undefined,
    );
  }

  /** Stops reporting. */
  end(): void {
    this.over.abort();
  }

  private tell(): void {
    this.isWaiting = false;
    const { text } = this.collector.format(true);
    if (this.over.signal.aborted || text === this.reported) return;
    this.reported = text;
    this.report(text);
  }
}
