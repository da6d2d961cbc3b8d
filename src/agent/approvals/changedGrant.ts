import { t } from '../../utils/l10n';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';
import type { GrantCheck } from './sessionGrants';

/** Extends a question with the files that changed after the user allowed them. A new approval covers these changes. */
export function withChanges(question: ApprovalQuestion, { changed }: GrantCheck): ApprovalQuestion {
  if (changed === undefined) return question;
  const covered = [
    t('the agent has changed {0} since you allowed this', changed.shown.join(', ')),
    t('if you allow this, the approval covers these changes for the rest of this chat'),
  ];
  const { diff } = changed;
  return { ...question, reasons: [...covered, ...(question.reasons ?? [])], ...(diff !== '' && { diff }), canAllowAlways: false };
}
