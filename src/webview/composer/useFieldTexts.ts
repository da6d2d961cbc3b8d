import { computed } from 'vue';
import { isMode } from '../../types/modes';
import { modeTexts } from '../common/modeTexts';
import { t } from '../translate';

interface MessageField {
  mode: string;
  /** True if the message answers a pending question. */
  isAnswer: boolean;
  canSend: boolean;
}

/** Texts of the message box that show what sending does. */
export function useFieldTexts(field: () => MessageField) {
  const placeholder = computed(() => {
    const { mode, isAnswer } = field();
    if (isAnswer) return t('Answer the question');
    return isMode(mode) ? modeTexts(mode).placeholder : '';
  });
  /** Replaces the placeholder while the box contains a text. */
  const answering = computed(() => (field().isAnswer && field().canSend ? t('This message answers the question.') : null));
  const queueLabel = computed(() => (field().isAnswer ? t('Answer the question') : t('Queue message')));
  return { placeholder, answering, queueLabel };
}
