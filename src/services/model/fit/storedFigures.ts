import type { ModelFigures } from '../../../types/modelFigures';
import type { FigureStore } from './figureKeeper';

/** Stores figures in the database once it is open. */
export class StoredFigures implements FigureStore {
  constructor(private readonly storage: { settled(withinMs: number): Promise<{ figures: FigureStore } | undefined> }) {}

  async all(machine: string): Promise<ReadonlyMap<string, ModelFigures> | null> {
    return (await this.storage.settled(1000))?.figures.all(machine) ?? null;
  }

  async keep(machine: string, digest: string, figures: ModelFigures): Promise<void> {
    await (await this.storage.settled(1000))?.figures.keep(machine, digest, figures);
  }
}
