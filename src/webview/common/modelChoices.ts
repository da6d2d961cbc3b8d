import { isMode, modeRow } from '../../types/modes';
import { examSummary } from './exam/examSummary';
import { modeTexts } from './modeTexts';
import type { ModelOption } from '../../protocol/webviewEvents';
import { t } from '../translate';
import { measuredFacts } from './figureTexts';
import type { PickerOption } from '../types';
import { fileSize, tokenCount } from '../../types/format';

export interface Capability {
  icon: string;
  name: string;
}

export interface ModelChoice extends PickerOption {
  capabilities: readonly Capability[];
  isLoaded: boolean;
  /** Reason why the model does not work in this mode, or null. */
  lack: string | null;
  /** Note that the model runs in the cloud, or null. */
  cloud: string | null;
  /** Results of the model's exam, or null. */
  exam: string | null;
}

/** Lists the chat models as choices for a mode. Also includes a `selected` model that cannot chat, with the reason. */
export function modelChoices(models: readonly ModelOption[], mode: string, selected: string | null = null): ModelChoice[] {
  return models
    .filter(({ name, enabled, capabilities }) => enabled && (capabilities.chat || name === selected))
    .map((model) => toChoice(model, mode));
}

function toChoice(model: ModelOption, mode: string): ModelChoice {
  // A cloud model uses no disk space on this computer.
  const facts = model.isCloud ? [] : (measuredFacts(model.figures) ?? [fileSize(model.size)]);
  if (model.figures?.memory == null && model.contextLength !== null)
    facts.push(t('context window up to {0}', tokenCount(model.contextLength)));
  if (model.loaded) facts.push(t('in memory'));
  return {
    value: model.name,
    name: model.name,
    about: facts.join(' · '),
    capabilities: listCapabilities(model),
    isLoaded: model.loaded,
    lack: findLack(model, mode),
    isDisabled: !model.capabilities.chat,
    cloud: model.isCloud ? cloudText() : null,
    exam: model.exam === undefined ? null : examSummary(model.exam, model.figures?.memory != null),
  };
}

export function listCapabilities({ capabilities }: ModelOption): Capability[] {
  const named: [boolean, Capability][] = [
    [capabilities.tools, { icon: 'tools', name: t('tools') }],
    [capabilities.vision, { icon: 'eye', name: t('vision') }],
    [capabilities.thinking, { icon: 'lightbulb', name: t('thinking') }],
  ];
  return named.filter(([has]) => has).map(([, capability]) => capability);
}

/** Returns the capability that a model lacks for a mode, or null. */
export function findLack(model: ModelOption, mode: string): string | null {
  if (!model.capabilities.chat) return t('cannot chat');
  if (failedExam(model, mode)) return t('failed the exam');
  if (model.capabilities.tools) return null;
  return isMode(mode) ? modeTexts(mode).lack : t('no tools');
}

/** Returns true if the mode shows a warning because the model failed its exam. */
export function failedExam({ examChanges }: Pick<ModelOption, 'examChanges'>, mode: string): boolean {
  return isMode(mode) && modeRow(mode).tools === 'all' && examChanges?.includes('warning') === true;
}

export function cloudText(): string {
  return t('runs on Ollama’s servers, not on your computer');
}
