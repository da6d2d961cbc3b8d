import { findModel } from '../services/model/modelNames';
import type { ModelInfo } from '../types/model';
import type { Clock } from '../utils/clock';
import type { ModelSource } from './ports';
import type { Run } from './run';

const pollMs = 1000;

/** Says what a run waits for before the first token: the server, the model being loaded, or the prompt being read. */
export class FirstTokenWatch {
  private current: AbortController | null = null;

  constructor(
    private readonly catalog: Pick<ModelSource, 'running'>,
    private readonly clock: Clock,
    private readonly run: Pick<Run, 'report' | 'signal'>,
  ) {}

  /** Watches from `delayMs` from now on, in place of any watch before. `promptTokens` is null when it cannot be told. */
  start(model: Pick<ModelInfo, 'name'>, promptTokens: number | null, delayMs = 0): void {
    this.stop();
    const own = new AbortController();
    this.current = own;
    const signal = AbortSignal.any([own.signal, this.run.signal]);
    // What it cannot find out it does not say; the request itself reports what is wrong.
    this.watch(model.name, promptTokens, delayMs, signal).catch(() => undefined);
  }

  stop(): void {
    this.current?.abort();
    this.current = null;
  }

  private async watch(name: string, promptTokens: number | null, delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs > 0) await this.clock.sleep(delayMs, signal);
    const since = this.clock.now();
    this.run.report({ kind: 'connecting', since });
    for (;;) {
      const running = await this.catalog.running(signal);
      if (signal.aborted) return;
      if (findModel(running, name)) break;
      this.run.report({ kind: 'loading', model: name, since });
      await this.clock.sleep(pollMs, signal);
    }
    this.run.report({ kind: 'reading', promptTokens, since: this.clock.now() });
  }
}
