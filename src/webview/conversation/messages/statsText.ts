import type { AnswerStats } from '../../../protocol/entries';
import { t } from '../../translate';

/** Formats the figures of an answer as the server measured them; null when it gave none. */
export function statsText(stats: AnswerStats | null): string | null {
  if (stats === null) return null;
  const { answerTokens, answerMs, promptTokens, contextWindow } = stats;
  const parts = [];
  if (answerTokens !== undefined) parts.push(t('{0} tokens', answerTokens.toLocaleString()));
  if (answerTokens !== undefined && answerMs !== undefined && answerMs > 0) {
    parts.push(t('{0} tokens/s', (answerTokens / (answerMs / 1000)).toLocaleString(undefined, { maximumFractionDigits: 1 })));
  }
  if (promptTokens !== undefined) {
    parts.push(
      contextWindow === undefined
        ? t('read {0} tokens', promptTokens.toLocaleString())
        : t('read {0} of {1} tokens', promptTokens.toLocaleString(), contextWindow.toLocaleString()),
    );
  }
  return parts.length === 0 ? null : parts.join(' · ');
}
