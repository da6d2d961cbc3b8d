import { isMode } from '../../types/modes';
import { modeTexts } from './modeTexts';
import type { ModelOption } from '../../protocol/webviewEvents';
import { t } from '../translate';
import type { PickerOption } from '../types';
import { fileSize, tokenCount } from './texts/format';

export interface Capability {
  icon: string;
  name: string;
}

export interface ModelChoice extends PickerOption {
  capabilities: readonly Capability[];
  isLoaded: boolean;
  /** Reason why the model cannot do the mode's work, or null. */
  lack: string | null;
  /** Remark that it runs elsewhere, or null. */
  cloud: string | null;
}

/** Lists the models that can chat, as choices for a mode; one that is `selected` and cannot is there to say so. */
export function modelChoices(models: readonly ModelOption[], mode: string, selected: string | null = null): ModelChoice[] {
  return models
    .filter(({ name, enabled, capabilities }) => enabled && (capabilities.chat || name === selected))
    .map((model) => choiceOf(model, mode));
}

function choiceOf(model: ModelOption, mode: string): ModelChoice {
  // What runs elsewhere takes no room here.
  const facts = model.isCloud ? [] : [fileSize(model.size)];
  if (model.contextLength !== null) facts.push(t('{0} context', tokenCount(model.contextLength)));
  if (model.loaded) facts.push(t('loaded'));
  return {
    value: model.name,
    name: model.name,
    about: facts.join(' · '),
    capabilities: capabilitiesOf(model),
    isLoaded: model.loaded,
    lack: lackOf(model, mode),
    isDisabled: !model.capabilities.chat,
    cloud: model.isCloud ? cloudText() : null,
  };
}

export function capabilitiesOf({ capabilities }: ModelOption): Capability[] {
  const named: [boolean, Capability][] = [
    [capabilities.tools, { icon: 'tools', name: t('tools') }],
    [capabilities.vision, { icon: 'eye', name: t('vision') }],
    [capabilities.thinking, { icon: 'lightbulb', name: t('thinking') }],
  ];
  return named.filter(([has]) => has).map(([, capability]) => capability);
}

/** Returns what a model lacks for a mode, or null. */
export function lackOf(model: ModelOption, mode: string): string | null {
  if (!model.capabilities.chat) return t('cannot chat');
  if (model.capabilities.tools) return null;
  return isMode(mode) ? modeTexts(mode).lack : t('no tools');
}

export function cloudText(): string {
  return t('runs on Ollama’s servers, not on your machine');
}
