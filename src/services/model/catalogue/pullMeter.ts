import type { PullProgress } from '../../../types/ollama';

/** Progress in bytes, and rate in bytes per second. Null while unknown. */
export interface PullFigures {
  completed: number;
  total: number | null;
  bytesPerSecond: number | null;
}

/** Time span for measuring the rate, in milliseconds. */
const windowMs = 5000;

/** Adds up the progress of a pull's layers, which the server reports separately. */
export class PullMeter {
  private readonly layers = new Map<string, { completed: number; total: number }>();
  private samples: { at: number; bytes: number }[] = [];

  /** Processes a progress report. `now` is in milliseconds. */
  take(progress: PullProgress, now: number): PullFigures {
    const { digest, total, completed } = progress;
    if (digest !== undefined) {
      const before = this.layers.get(digest);
      this.layers.set(digest, { completed: completed ?? before?.completed ?? 0, total: total ?? before?.total ?? 0 });
    }
    const layers = [...this.layers.values()];
    const done = layers.reduce((sum, layer) => sum + layer.completed, 0);
    const all = layers.reduce((sum, layer) => sum + layer.total, 0);
    return { completed: done, total: all > 0 ? all : null, bytesPerSecond: this.rate(done, now) };
  }

  private rate(bytes: number, at: number): number | null {
    this.samples = [...this.samples.filter((sample) => at - sample.at <= windowMs), { at, bytes }];
    const first = this.samples[0];
    if (first === undefined || at - first.at < 1000) return null;
    return ((bytes - first.bytes) / (at - first.at)) * 1000;
  }
}
