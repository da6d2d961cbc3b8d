import { fileSize, formatNumber, tokenCount } from '../../types/format';
import type { ModelFigures } from '../../types/modelFigures';
import { t } from '../translate';

/** Returns measured figures of a loaded model in a few words. Returns null if its memory was not measured. */
export function measuredFacts(figures: ModelFigures | undefined): string[] | null {
  if (figures?.memory == null) return null;
  const { memory } = figures;
  const speed = figures.long?.answerRate ?? figures.short?.answerRate ?? null;
  return [
    fileSize(memory.size),
    gpuText(memory),
    ...(speed === null ? [] : [t('{0} tok/s', rateText(speed))]),
    t('context window {0}', tokenCount(memory.window)),
  ];
}

export function gpuText({ size, vram }: { size: number; vram: number }): string {
  if (vram <= 0) return t('on the CPU');
  return vram >= size ? t('all on the GPU') : t('{0}% on the GPU', Math.min(99, Math.floor((vram / size) * 100)));
}

export function rateText(perSecond: number): string {
  return formatNumber(perSecond, { most: perSecond < 10 ? 1 : 0 });
}
