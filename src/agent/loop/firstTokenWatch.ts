import { findModel } from '../../types/modelNames';
import type { ModelInfo } from '../../types/model';
import type { Clock } from '../../utils/clock';
import type { ModelSource } from '../kernel/ports';
import type { Run } from '../kernel/run';
import type { WritingFacts } from './silenceWatch';

const pollMs = 1000;

/** Expected times and contents of the pending answer. */
export interface AwaitedAnswer {
  promptTokens: number;
  /** Estimated number of tokens that the server must process, and the expected time. Null if nothing was measured. */
  measured?: { newTokens: number; expectedMs: number } | null;
  /** Time in milliseconds by which the prompt is usually processed. */
  patienceMs: number;
  /** Kind of calls that may arrive. The server sends these calls only when they are complete. */
  expected: 'call' | 'editOrCall' | null;
  /** Expected time to process the prompt in milliseconds, and the writing speed of the model. Null if nothing was measured. */
  writing?: ({ readMs: number } & WritingFacts) | null;
}

/**
 * Reports the activity before the first token: waiting for the server, loading the model, or processing the
 * prompt. The server sends calls only when they are complete, without a signal when the model starts to write one.
 * The start is estimated from measurements. Without measurements, the report contains both possible activities.
 */
export class FirstTokenWatch {
  private current: AbortController | null = null;

  constructor(
    private readonly catalog: Pick<ModelSource, 'running'>,
    private readonly clock: Clock,
    private readonly run: Pick<Run, 'report' | 'signal'>,
    private readonly awaited: AwaitedAnswer,
  ) {}

  /** Starts after the model is loaded and the request is sent. */
  start(): void {
    this.begin((signal) => this.read(signal));
  }

  /** Starts again after `delayMs`, before a retry. Also waits until the server has loaded the model. */
  restart(model: Pick<ModelInfo, 'name'>, delayMs: number): void {
    this.begin((signal) => this.watch(model.name, delayMs, signal));
  }

  stop(): void {
    this.current?.abort();
    this.current = null;
  }

  private begin(work: (signal: AbortSignal) => Promise<void>): void {
    this.stop();
    const own = new AbortController();
    this.current = own;
    // Failures are ignored, because the request itself reports them.
    work(AbortSignal.any([own.signal, this.run.signal])).catch(() => undefined);
  }

  private async watch(name: string, delayMs: number, signal: AbortSignal): Promise<void> {
    await this.clock.sleep(delayMs, signal);
    const since = this.clock.now();
    this.run.report({ kind: 'connecting', since });
    for (;;) {
      const running = await this.catalog.running(signal);
      if (signal.aborted) return;
      if (findModel(running, name)) break;
      this.run.report({ kind: 'loading', model: name, since });
      await this.clock.sleep(pollMs, signal);
    }
    await this.read(signal);
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { promptTokens, measured, patienceMs, expected, writing } = this.awaited;
    const since = this.clock.now();
    this.run.report({ kind: 'reading', promptTokens, since, ...(measured && { measured }) });
    if (expected === null) return;
    await this.clock.sleep(patienceMs, signal);
    if (writing == null) this.run.report({ kind: 'reading', promptTokens, since, orPreparing: expected });
    else {
      const { readMs, ...facts } = writing;
      this.run.report({ kind: 'preparing', work: expected, since: since + Math.round(readMs), writing: facts });
    }
  }
}
