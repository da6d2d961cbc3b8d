import type { ModelsState } from '../../protocol/webviewEvents';
import { t } from '../translate';
import { modelChoices } from '../common/modelChoices';

/** Lists the choices for a mode, or for all modes: automatic, the server's models, and the configured model even if missing. */
export function modelOptions(state: ModelsState, mode: string | undefined, chosen: string): { value: string; name: string }[] {
  const models = modelChoices(state.models, mode ?? 'ask').map(({ value, name, lack, cloud }) => ({
    value,
    name: [name, ...[lack, cloud].filter((word) => word !== null)].join(' · '),
  }));
  const selected = mode === undefined ? null : (state.selected[mode] ?? null);
  const automatic = chosen === '' && selected !== null ? t('Automatic: {0}', selected) : t('Automatic');
  const isMissing = chosen !== '' && !models.some(({ value }) => value === chosen);
  const isKnown = !state.stale || state.models.length > 0;
  return [
    { value: '', name: automatic },
    ...models,
    ...(isMissing ? [{ value: chosen, name: isKnown ? t('{0} · not available', chosen) : chosen }] : []),
  ];
}
