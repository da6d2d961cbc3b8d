import { fileSize, formatNumber, tokenCount } from '../../../types/format';
import type { MeasuredSpeed, ModelFigures } from '../../../types/modelFigures';
import type { MemoryPlan, PlannedModel } from '../../../protocol/requests/fitRequests';
import { isMode } from '../../../types/modes';
import { rateText } from '../../common/figureTexts';
import { modeLabel } from '../../common/modeTexts';
import { t } from '../../translate';

/** Returns the measured figures that the picker does not show, one per line. */
export function figureLines(figures: ModelFigures | undefined): string[] {
  if (figures === undefined) return [];
  const { loadMs, short, long, cache } = figures;
  return [
    ...(loadMs === null ? [] : [t('Load: {0} s', formatNumber(loadMs / 1000, { most: 1 }))]),
    ...(short === null ? [] : [t('Short prompt: {0}', speedText(short))]),
    ...(long === null ? [] : [t('Long prompt: {0}', speedText(long))]),
    ...(cache === null
      ? []
      : [
          cache.isUpperBound
            ? t('Cache per token: at most {0}', fileSize(cache.bytesPerToken))
            : t('Cache per token: {0}', fileSize(cache.bytesPerToken)),
        ]),
  ];
}

function speedText({ promptTokens, promptRate, answerRate }: MeasuredSpeed): string {
  return [
    ...(promptRate === null ? [] : [t('processes {0} tokens at {1} tok/s', promptTokens, rateText(promptRate))]),
    ...(answerRate === null ? [] : [t('writes {0} tok/s', rateText(answerRate))]),
  ].join(', ');
}

export function useText({ uses }: PlannedModel): string {
  const names = uses.map((use) => {
    if (isMode(use)) return modeLabel(use);
    return use === 'completion' ? t('inline suggestions') : t('search');
  });
  return names.join(', ');
}

export function sizeText({ bytes, certainty }: PlannedModel): string {
  if (certainty === 'measured') return t('{0}, measured', fileSize(bytes));
  return certainty === 'estimated' ? t('about {0}', fileSize(bytes)) : t('at least {0}', fileSize(bytes));
}

/** Explains the plan in sentences. */
export function planNotes({ models, total, isComplete, room, evicted, isTooLarge }: MemoryPlan): string[] {
  const all = isComplete ? fileSize(total) : t('at least {0}', fileSize(total));
  const notes = models.length < 2 ? [] : [t('Total: {0}.', all)];
  if (room === null)
    return [...notes, t('The GPU memory is not known yet. To measure it, load a model that does not fit on the GPU.')];
  notes.push(
    room.kind === 'gpu'
      ? t('Measured GPU memory for models: {0}.', fileSize(room.bytes))
      : t('The server uses the CPU. Memory of this computer: {0}.', fileSize(room.bytes)),
  );
  if (isTooLarge) notes.push(t('The chat model alone does not fit. A smaller model or context window is faster.'));
  if (evicted.length > 0)
    notes.push(t('Models that are unloaded while a chat runs: {0}. They are loaded again when needed.', evicted.join(', ')));
  else if (!isTooLarge && isComplete && models.length > 1) notes.push(t('All models fit at the same time.'));
  return notes;
}

/** Returns a text about the context window that a search found. Returns null if none was found. */
export function largestText(figures: ModelFigures | undefined): string | null {
  const tokens = figures?.largest?.tokens ?? null;
  return tokens === null ? null : t('Largest context window on the GPU: {0} tokens', tokenCount(tokens));
}
