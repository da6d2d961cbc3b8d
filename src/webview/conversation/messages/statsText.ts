import { formatNumber } from '../../../types/format';
import type { AnswerStats } from '../../../protocol/entries';
import { t } from '../../translate';

/** Formats the statistics that the server sent for an answer. Returns null without statistics. */
export function statsText(stats: AnswerStats | null): string | null {
  if (stats === null) return null;
  const { answerTokens, answerMs, promptTokens, contextWindow } = stats;
  const parts = [];
  if (answerTokens !== undefined) parts.push(t('{0} tokens', answerTokens));
  if (answerTokens !== undefined && answerMs !== undefined && answerMs > 0) {
    parts.push(t('{0} tokens/s', formatNumber(answerTokens / (answerMs / 1000), { most: 1 })));
  }
  if (promptTokens !== undefined) {
    parts.push(
      contextWindow === undefined
        ? t('prompt: {0} tokens', promptTokens)
        : t('prompt: {0} of {1} tokens', promptTokens, contextWindow),
    );
  }
  return parts.length === 0 ? null : parts.join(' · ');
}
