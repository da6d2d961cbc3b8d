import type { Settings } from '../../config/settings';
import type { ModelOption, ModelsState } from '../../protocol/webviewEvents';
import { isCloudModel, type ModelInfo, type ModelList } from '../../types/model';
import type { ModelFigures } from '../../types/modelFigures';
import { modelKey } from '../../types/modelNames';
import { examChanges } from '../../types/modelDefaults';
import { chatModes, modeRow, type ChatMode } from '../../types/modes';

function canServe(mode: ChatMode, model: Pick<ModelInfo, 'capabilities'>): boolean {
  return model.capabilities.chat && (!modeRow(mode).needsTools || model.capabilities.tools);
}

/** Returns whether a model is made for code. Some of these models do not support fill-in-the-middle, so the name counts too. */
function isCoder({ name, capabilities }: Pick<ModelInfo, 'name' | 'capabilities'>): boolean {
  return capabilities.fim || /code/i.test(name);
}

/**
 * Returns the model of a mode: the configured model, the automatic model of `before` if it
 * is still suitable, or the first suitable model. Cloud models come last. In a mode for
 * questions, a general model precedes a coder model, unless it is less than half as large.
 */
export function selectedModel(
  mode: ChatMode,
  settings: Settings,
  models: readonly ModelInfo[],
  before: string | null = null,
): string | null {
  const wanted = settings.getModeConfig(mode).model;
  if (wanted !== '') return wanted;
  const enabled = models.filter((model) => model.enabled);
  const usable = [...enabled.filter(({ name }) => !isCloudModel(name)), ...enabled.filter(({ name }) => isCloudModel(name))];
  const kept = usable.find(({ name }) => name === before && !isCloudModel(name));
  if (kept !== undefined && canServe(mode, kept)) return kept.name;
  const first = usable.find((model) => canServe(mode, model)) ?? usable.find((model) => model.capabilities.chat);
  if (first === undefined || modeRow(mode).rules !== 'answer' || !isCoder(first)) return first?.name ?? null;
  const general = usable.find(
    (model) =>
      canServe(mode, model) &&
      !isCoder(model) &&
      model.size >= first.size / 2 &&
      isCloudModel(model.name) === isCloudModel(first.name),
  );
  return (general ?? first).name;
}

function pickFigures(model: ModelInfo, figures: ReadonlyMap<string, ModelFigures> | undefined): Pick<ModelOption, 'figures'> {
  const measured = figures?.get(modelKey(model));
  return measured === undefined ? {} : { figures: measured };
}

/**
 * Creates the model state. `automatic` contains the automatic models so far,
 * by mode. `problem` explains to the user why the list could not be read.
 */
export function modelsState(
  list: ModelList,
  loaded: ReadonlyMap<string, unknown>,
  settings: Settings,
  problem?: string,
  figures?: ReadonlyMap<string, ModelFigures>,
  automatic: ModelsState['selected'] = {},
): ModelsState {
  const shared = settings.readValue('chat.model');
  const ownModes = chatModes.filter((mode) => shared !== '' && !['', shared].includes(settings.readOwnModel(mode)));
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
      ...pickFigures(model, figures),
      ...(model.exam && { exam: model.exam, examChanges: examChanges(model, settings.getAgentConfig()) }),
      ...(model.thinking && { thinking: { ...model.thinking, chosen: model.think ?? null } }),
    })),
    stale: list.stale,
    ...(problem !== undefined && { problem }),
    selected: Object.fromEntries(
      chatModes.map((mode) => [mode, selectedModel(mode, settings, list.models, automatic[mode] ?? null)]),
    ),
    ...(ownModes.length > 0 && { ownModes }),
    ...(shared !== '' && { picked: { model: shared, modes: chatModes.filter((mode) => settings.readOwnModel(mode) === '') } }),
  };
}
