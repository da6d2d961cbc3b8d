import { AppError } from '../../utils/errors';
import { t } from '../../utils/l10n';

/** Thrown if an exam cannot run. */
export class ExamError extends AppError {
  readonly code = 'exam';

  constructor(reason: string) {
    super(`Exam: ${reason}`, reason === '' ? t('The model exam could not run. See the log for details.') : reason);
  }
}

/** Returns the error for a second exam that starts while another one runs. */
export function examRunning(model: string): ExamError {
  return new ExamError(t('The exam for {0} is still running. Cancel it first, or wait until it finishes.', model));
}
