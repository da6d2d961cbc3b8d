import type { Settings } from '../../config/settings';
import type { ModelOption, ModelsState } from '../../protocol/webviewEvents';
import { isCloudModel, type ModelInfo, type ModelList } from '../../types/model';
import { chatModes, modeRow, type ChatMode } from '../../types/modes';

/** Tells whether a model can do what a mode needs. */
function canServe(mode: ChatMode, model: Pick<ModelInfo, 'capabilities'>): boolean {
  return model.capabilities.chat && (!modeRow(mode).needsTools || model.capabilities.tools);
}

/** Returns the model a mode uses: the one set for it, else the first that can do the mode's work, one that runs elsewhere last. */
export function selectedModel(mode: ChatMode, settings: Settings, models: readonly ModelInfo[]): string | null {
  const wanted = settings.getModeConfig(mode).model;
  if (wanted !== '') return wanted;
  const enabled = models.filter((model) => model.enabled);
  const usable = [...enabled.filter(({ name }) => !isCloudModel(name)), ...enabled.filter(({ name }) => isCloudModel(name))];
  return (usable.find((model) => canServe(mode, model)) ?? usable.find((model) => model.capabilities.chat))?.name ?? null;
}

/** Builds the state of the models. `problem` tells a person why the list could not be read. */
export function modelsState(
  list: ModelList,
  loaded: ReadonlyMap<string, unknown>,
  settings: Settings,
  problem?: string,
): ModelsState {
  return {
    models: list.models.map((model): ModelOption => ({
      name: model.name,
      size: model.size,
      contextLength: model.contextLength,
      parameterSize: model.parameterSize,
      capabilities: model.capabilities,
      enabled: model.enabled,
      loaded: loaded.has(model.name),
      isCloud: isCloudModel(model.name),
      families: model.families ?? [],
      modifiedAt: model.modifiedAt ?? null,
      ...(model.thinking && { thinking: { ...model.thinking, chosen: model.think ?? null } }),
    })),
    stale: list.stale,
    ...(problem !== undefined && { problem }),
    selected: Object.fromEntries(chatModes.map((mode) => [mode, selectedModel(mode, settings, list.models)])),
  };
}
