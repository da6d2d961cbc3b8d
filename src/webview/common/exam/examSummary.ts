import { examTaskNames, type ModelExam } from '../../../types/exam';
import { examVerdict } from '../../../types/examVerdict';
import { tokenCount } from '../../../types/format';
import { t } from '../../translate';
import { rateText } from '../figureTexts';

const all = examTaskNames.length;

/**
 * Returns the results of an exam in one line. For an incomplete exam, returns only the progress. If `isMeasured`, omits
 * the speed and the context window, which are shown elsewhere.
 */
export function examSummary(exam: ModelExam, isMeasured = false): string {
  const { calls, edits, loops, done, tokensPerSecond, window } = examVerdict(exam);
  if (exam.finishedAt === null) return t('exam: {0} of {1} tasks', done, all);
  const rate = tokensPerSecond === null ? [] : [t('{0} tok/s', rateText(tokensPerSecond))];
  return [
    t('calls {0}/{1}', calls, all),
    t('edits {0}/{1}', edits, all),
    t('loops {0}', loops),
    ...(isMeasured ? [] : [...rate, t('context window {0}', tokenCount(window))]),
  ].join(' · ');
}
