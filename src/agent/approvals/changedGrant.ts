import { t } from '../../utils/l10n';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';
import type { GrantCheck } from './sessionGrants';

/** Returns a question that says first what was changed since a person allowed it, and that allowing it again covers the changes too. */
export function withChanges(question: ApprovalQuestion, { changed }: GrantCheck): ApprovalQuestion {
  if (changed === undefined) return question;
  const covered = [
    t('the agent has changed {0} since you allowed this', changed.shown.join(', ')),
    t('if you allow this, these changes are covered for the rest of this chat'),
  ];
  const { diff } = changed;
  return { ...question, reasons: [...covered, ...(question.reasons ?? [])], ...(diff !== '' && { diff }), canAllowAlways: false };
}
