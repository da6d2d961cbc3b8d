import { t } from '../../utils/l10n';
import type { ApprovalQuestion } from '../tools/kernel/tool';
import type { GrantCheck } from './sessionGrants';

/** Returns a question that says first what was changed since a person allowed it: the answer covers that, too. */
export function withChanges(question: ApprovalQuestion, { changed }: GrantCheck): ApprovalQuestion {
  if (changed === undefined) return question;
  const reason = t('the agent has changed {0} since you allowed this', changed.shown.join(', '));
  const { diff } = changed;
  return { ...question, reasons: [reason, ...(question.reasons ?? [])], ...(diff !== '' && { diff }), canAllowAlways: false };
}
