import type { Phrase } from '../../../utils/l10n';
import type { FailedResult } from './tool';

/**
 * Returns the result of a failed call. `local` is the reason for the user
 * and the whole text of the row. `english` is the text for the model.
 */
export function failure({ local, english }: Phrase): FailedResult {
  return { status: 'error', content: english, summary: local, display: local };
}
