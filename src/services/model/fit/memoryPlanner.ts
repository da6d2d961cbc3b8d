import { totalmem } from 'node:os';
import type { Settings } from '../../../config/settings';
import type { MemoryPlan, PlannedModel } from '../../../protocol/requests/fitRequests';
import { isOnThisMachine } from '../../../types/httpAddress';
import { isCloudModel, type ModelInfo } from '../../../types/model';
import { findModel } from '../../../types/modelNames';
import { chatModes } from '../../../types/modes';
import type { Logger } from '../../../utils/logger';
import type { ModelCatalog } from '../catalogue/modelCatalog';
import type { ModelManager } from '../catalogue/modelManager';
import { completionWindow, type ContextWindows } from '../context/contextWindows';
import { selectedModel } from '../modelSelection';
import type { FigureKeeper } from './figureKeeper';
import { measuredRoom, memoryPlan, type UsedModel } from './memoryPlan';

export interface PlannerServices {
  models: Pick<ModelManager, 'list' | 'readCacheSize'>;
  catalog: Pick<ModelCatalog, 'refreshLoaded' | 'loadedModels'>;
  figures: FigureKeeper;
  windows: Pick<ContextWindows, 'tokensFor'>;
  settings: Settings;
  logger: Logger;
}

/** Computes the total memory that the configured models need. Requests facts from the server, but loads no model. */
export class MemoryPlanner {
  constructor(private readonly services: PlannerServices) {}

  async plan(): Promise<MemoryPlan> {
    const { catalog } = this.services;
    await catalog.refreshLoaded();
    const used = await Promise.all([...(await this.uses())].map(([model, uses]) => this.usedModel(model, uses)));
    return memoryPlan(used, await this.room());
  }

  /**
   * Returns the memory for models: the measured GPU memory, or the memory of this
   * computer if the server uses only its CPU. Returns null if it is unknown.
   */
  async room(): Promise<MemoryPlan['room']> {
    const { figures, catalog, settings } = this.services;
    const all = [...(await figures.all()).values()];
    const measured = measuredRoom(
      all,
      catalog.loadedModels.reduce((sum, { size_vram: vram }) => sum + vram, 0),
    );
    if (measured !== null) return { bytes: measured, kind: 'gpu' };
    const isCpuOnly =
      all.some(({ memory }) => memory !== null) && all.every(({ memory }) => memory === null || memory.vram === 0);
    return isCpuOnly && isOnThisMachine(settings.baseUrl) ? { bytes: totalmem(), kind: 'computer' } : null;
  }

  /** Returns the models that the settings use, each with its uses. */
  private async uses(): Promise<Map<ModelInfo, PlannedModel['uses']>> {
    const { models, settings } = this.services;
    const list = (await models.list()).models;
    const names: [PlannedModel['uses'][number], string | null][] = [
      ...chatModes.map((mode) => [mode, selectedModel(mode, settings, list)] as [typeof mode, string | null]),
      ['completion', settings.getCompletionConfig().model],
      ['embedding', settings.getSearchConfig().embeddingModel],
    ];
    const uses = new Map<ModelInfo, PlannedModel['uses']>();
    for (const [use, name] of names) {
      const model = name === null || name === '' ? undefined : findModel(list, name);
      if (model !== undefined && !isCloudModel(model.name)) uses.set(model, [...(uses.get(model) ?? []), use]);
    }
    return uses;
  }

  private async usedModel(model: ModelInfo, uses: PlannedModel['uses']): Promise<UsedModel> {
    const { catalog, figures, windows } = this.services;
    const { memory, cache } = await figures.readFigures(model);
    const loaded = findModel(catalog.loadedModels, model.name);
    const isChat = uses.some((use) => use !== 'completion' && use !== 'embedding');
    const isEmbedding = uses.includes('embedding') && !isChat;
    const window = isChat
      ? await windows.tokensFor(model)
      : isEmbedding
        ? (loaded?.context_length ?? memory?.window ?? model.contextLength ?? 0)
        : completionWindow(model);
    const size = cache ?? (await this.readCacheSize(model));
    return { name: model.name, uses, size: model.size, window, figures: { memory, cache: size }, isLoaded: loaded !== undefined };
  }

  private async readCacheSize(model: ModelInfo) {
    try {
      return await this.services.models.readCacheSize(model);
    } catch (error) {
      this.services.logger.debug(`Could not read the cache size of ${model.name}`, error);
      return null;
    }
  }
}
