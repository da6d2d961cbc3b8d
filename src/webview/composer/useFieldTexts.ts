import { computed } from 'vue';
import { isMode } from '../../types/modes';
import { modeTexts } from '../common/modeTexts';
import { t } from '../translate';

interface MessageField {
  mode: string;
  /** True if the message replies to a pending question. */
  isAnswer: boolean;
  canSend: boolean;
}

/** Provides the texts of the message box, which describe the effect of sending. */
export function useFieldTexts(field: () => MessageField) {
  const placeholder = computed(() => {
    const { mode, isAnswer } = field();
    if (isAnswer) return t('Answer the question');
    return isMode(mode) ? modeTexts(mode).placeholder : '';
  });
  /** Note that replaces the placeholder when the box contains text. */
  const answering = computed(() => (field().isAnswer && field().canSend ? t('This message answers the question.') : null));
  const queueLabel = computed(() => (field().isAnswer ? t('Answer the question') : t('Queue message')));
  return { placeholder, answering, queueLabel };
}
