import type { Phrase } from '../../../utils/l10n';
import type { FailedResult } from './tool';

/** Returns the result of a failed call: the reason for the user, which is the whole text of the row, and the text for the model. */
export function failure({ local, english }: Phrase): FailedResult {
  return { status: 'error', content: english, summary: local, display: local };
}
