import type { ModelInfo } from '../../../types/model';
import type { ThinkValue } from '../../../types/ollama';
import type { ModelStore } from './modelManager';

/** Stores the model list in the database. While that is not open, models show all the same: they are only not remembered. */
export class StoredModels implements ModelStore {
  constructor(
    private readonly storage: {
      settled(withinMs: number): Promise<{ models: ModelStore } | undefined>;
      open(): Promise<{ models: ModelStore }>;
    },
  ) {}

  async load(): Promise<{ models: ModelInfo[]; fetchedAt: number | null }> {
    const stored = await this.storage.settled(1000);
    return stored === undefined ? { models: [], fetchedAt: null } : stored.models.load();
  }

  async save(models: ModelInfo[], fetchedAt: number): Promise<void> {
    await (await this.storage.settled(1000))?.models.save(models, fetchedAt);
  }

  /** Rejects where it cannot be remembered. */
  async setEnabled(name: string, enabled: boolean): Promise<void> {
    await (await this.storage.open()).models.setEnabled(name, enabled);
  }

  /** Rejects where it cannot be remembered. */
  async setThink(name: string, think: ThinkValue | null): Promise<void> {
    await (await this.storage.open()).models.setThink(name, think);
  }
}
