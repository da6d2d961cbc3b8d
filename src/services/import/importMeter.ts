import type { FoundSource } from './findSources';

export interface ImportProgress {
  /** Number of finished sources. */
  done: number;
  total: number;
  /** Fraction of the bytes read so far, from 0 to 1. */
  fraction: number;
}

const progressSteps = 200;

/** Reports progress in a limited number of steps. */
export class ImportMeter {
  private readonly total: number;
  private read = 0;
  private readOfSource = 0;
  private done = 0;
  private lastStep = -1;

  constructor(
    private readonly sources: readonly FoundSource[],
    private readonly onProgress: (progress: ImportProgress) => void,
  ) {
    this.total = sources.reduce((sum, { size }) => sum + size, 0);
    this.announce();
  }

  add(bytes: number): void {
    if (bytes === 0) return;
    this.read += bytes;
    this.readOfSource += bytes;
    this.announce();
  }

  /** Ends a source. Counts its unread bytes as read. */
  finish({ size }: FoundSource): void {
    this.read += size - this.readOfSource;
    this.readOfSource = 0;
    this.done += 1;
    this.announce();
  }

  private announce(): void {
    const fraction = this.total === 0 ? 0 : Math.min(1, this.read / this.total);
    const step = Math.floor(fraction * progressSteps) * this.sources.length + this.done;
    if (step === this.lastStep) return;
    this.lastStep = step;
    this.onProgress({ done: this.done, total: this.sources.length, fraction });
  }
}
