import type { ModelsState } from '../../protocol/webviewEvents';
import { t } from '../translate';
import { findModel } from '../../types/modelNames';
import { cloudText, findLack, modelChoices } from '../common/modelChoices';
import type { SettingItem } from './settingsItem';

/**
 * Lists the choices for one mode or for all modes: automatic, the server's models, and
 * the configured model even if it is missing.
 */
export function modelOptions(state: ModelsState, mode: string | undefined, chosen: string): { value: string; name: string }[] {
  const models = modelChoices(state.models, mode ?? 'ask').map(({ value, name, lack, cloud }) => ({
    value,
    name: [name, ...[lack, cloud].filter((word) => word !== null)].join(' · '),
  }));
  const isMissing = chosen !== '' && !models.some(({ value }) => value === chosen);
  const isKnown = !state.stale || state.models.length > 0;
  return [
    { value: '', name: unsetName(state, mode, chosen) },
    ...models,
    ...(isMissing ? [{ value: chosen, name: isKnown ? t('{0} · not available', chosen) : chosen }] : []),
  ];
}

/**
 * Lists the choices for a task outside the chat: no model, suitable models on the server, and the configured model even if
 * it is missing.
 */
export function otherModelOptions(
  state: ModelsState,
  { needs, unset }: NonNullable<SettingItem['other']>,
  chosen: string,
): { value: string; name: string }[] {
  const known = findModel(state.models, chosen);
  const isKnown = !state.stale || state.models.length > 0;
  const models = state.models
    .filter((model) => model !== known && model.enabled && model.capabilities[needs])
    .map(({ name, isCloud }) => ({ value: name, name: isCloud ? `${name} · ${cloudText()}` : name }));
  const isUsable = known?.capabilities[needs] === true || !isKnown;
  const own = { value: chosen, name: isUsable ? chosen : t('{0} · not available', chosen) };
  return [{ value: '', name: unset }, ...(chosen === '' ? [] : [own]), ...models];
}

/** Returns the label of the choice to configure no model. A mode then uses the model selected in the chat, if there is one. */
function unsetName(state: ModelsState, mode: string | undefined, chosen: string): string {
  if (mode === undefined) return t('Automatic');
  if (state.picked !== undefined) {
    const { model: name } = state.picked;
    const model = state.models.find((one) => one.name === name);
    const lack = model === undefined ? null : findLack(model, mode);
    return [t('Model picked in the chat: {0}', name), ...(lack === null ? [] : [lack])].join(' · ');
  }
  const selected = state.selected[mode] ?? null;
  return chosen === '' && selected !== null ? t('Automatic: {0}', selected) : t('Automatic');
}
