import type { ModelStore } from '../../../../src/services/model/catalogue/modelManager';
import type { ModelInfo } from '../../../../src/types/model';

/** Model store that keeps copies of the list, as a database does. */
export class MemoryModelStore implements ModelStore {
  models: ModelInfo[] = [];
  fetchedAt: number | null = null;
  /** Error that every call throws while this property is set. */
  failure: Error | undefined;

  async load(): Promise<{ models: ModelInfo[]; fetchedAt: number | null }> {
    if (this.failure) throw this.failure;
    return structuredClone({ models: this.models, fetchedAt: this.fetchedAt });
  }

  async save(models: ModelInfo[], fetchedAt: number): Promise<void> {
    if (this.failure) throw this.failure;
    this.models = structuredClone(models);
    this.fetchedAt = fetchedAt;
  }

  async setEnabled(name: string, enabled: boolean): Promise<void> {
    if (this.failure) throw this.failure;
    for (const model of this.models) if (model.name === name) model.enabled = enabled;
  }

  async setThink(name: string, think: boolean | string | null): Promise<void> {
    if (this.failure) throw this.failure;
    for (const model of this.models) if (model.name === name) model.think = think;
  }
}
