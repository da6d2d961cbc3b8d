import type { ModelExam } from '../../../types/exam';
import type { ModelInfo } from '../../../types/model';
import type { ThinkValue } from '../../../types/ollama';
import type { ModelStore } from './modelManager';

/** Stores the list of models in the database. While the database is not open, models work, but nothing is stored. */
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

  async listExams(server: string): Promise<ReadonlyMap<string, ModelExam> | undefined> {
    return (await this.storage.settled(1000))?.models.listExams?.(server);
  }

  /** Rejects if the choice cannot be stored. */
  async setEnabled(name: string, enabled: boolean): Promise<void> {
    await (await this.storage.open()).models.setEnabled(name, enabled);
  }

  /** Rejects if the choice cannot be stored. */
  async setThink(name: string, think: ThinkValue | null): Promise<void> {
    await (await this.storage.open()).models.setThink(name, think);
  }
}
