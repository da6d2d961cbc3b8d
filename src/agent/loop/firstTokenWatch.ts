import { findModel } from '../../types/modelNames';
import type { ModelInfo } from '../../types/model';
import type { Clock } from '../../utils/clock';
import type { ModelSource } from '../kernel/ports';
import type { Run } from '../kernel/run';
import type { WritingFacts } from './silenceWatch';

const pollMs = 1000;

/** Answer that a run waits for. */
export interface AwaitedAnswer {
  promptTokens: number;
  /** Milliseconds after which the prompt usually has been read. */
  patienceMs: number;
  /** The calls that can be expected, of which nothing comes before they are whole. */
  expected: 'call' | 'editOrCall' | null;
  /** Milliseconds in which the prompt probably is read, and how the model writes then; null where that was not measured. */
  writing?: ({ readMs: number } & WritingFacts) | null;
}

/**
 * Says what a run waits for before the first token: the server, the model being loaded, or the prompt being read. Nothing tells
 * when a model has read and writes a call that is sent whole: that is estimated from what was measured, and without measures both are
 * said in time.
 */
export class FirstTokenWatch {
  private current: AbortController | null = null;

  constructor(
    private readonly catalog: Pick<ModelSource, 'running'>,
    private readonly clock: Clock,
    private readonly run: Pick<Run, 'report' | 'signal'>,
    private readonly awaited: AwaitedAnswer,
  ) {}

  /** Watches from the moment that the model is in memory and the request is sent. */
  reading(): void {
    this.begin((signal) => this.read(signal));
  }

  /** Watches from `delayMs` from now on, in place of any watch before: nothing is known any more. */
  again(model: Pick<ModelInfo, 'name'>, delayMs: number): void {
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
    // What it cannot find out it does not say; the request itself reports what is wrong.
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
    const { promptTokens, patienceMs, expected, writing } = this.awaited;
    const since = this.clock.now();
    this.run.report({ kind: 'reading', promptTokens, since });
    if (expected === null) return;
    await this.clock.sleep(patienceMs, signal);
    if (writing == null) this.run.report({ kind: 'reading', promptTokens, since, orPreparing: expected });
    else {
      const { readMs, ...facts } = writing;
      this.run.report({ kind: 'preparing', work: expected, since: since + Math.round(readMs), writing: facts });
    }
  }
}
