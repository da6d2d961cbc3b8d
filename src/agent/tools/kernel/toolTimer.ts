import type { Clock } from '../../../utils/clock';
import { t } from '../../../utils/l10n';
import { deferred } from '../../kernel/deferred';
import { failure } from './toolFailure';
import type { ToolResult } from './tool';

/** Time limit of a tool. It is paused while the user is asked. */
export class ToolTimer {
  private readonly expired = new AbortController();
  private running: AbortController | null = null;
  private isDisposed = false;
  private readonly up = deferred<ToolResult>();

  constructor(
    private readonly limitMs: number | null,
    private readonly clock: Clock,
  ) {
    this.start();
  }

  /** Aborted when the time limit is reached. */
  get signal(): AbortSignal {
    return this.expired.signal;
  }

  /** Resolves with the result of a tool that reached its time limit. */
  get timeUp(): Promise<ToolResult> {
    return this.up.promise;
  }

  async pausedWhile<T>(work: () => Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work();
    } finally {
      this.start();
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.stop();
  }

  private stop(): void {
    this.running?.abort();
    this.running = null;
  }

  private start(): void {
    const { limitMs } = this;
    if (limitMs === null || this.isDisposed) return;
    const running = new AbortController();
    this.running = running;
    this.clock.sleep(limitMs, running.signal).then(
      () => {
        const seconds = limitMs / 1000;
        this.up.resolve(
          failure({
            local: t('The tool took longer than {0} s. You can raise the tool time limit in the settings.', seconds),
            english: `Stopped: it took longer than ${seconds} s.`,
          }),
        );
        this.expired.abort();
      },
      () => undefined,
    );
  }
}
