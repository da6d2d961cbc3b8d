import type { AccessTarget } from './fileAccess';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';

/** Returns whether the model may read a file. Asks the user if there are reasons that require approval. */
export async function mayRead(
  { shown, readReasons }: Pick<AccessTarget, 'shown' | 'readReasons'>,
  { approve }: { approve: (question: ApprovalQuestion) => Promise<boolean> },
): Promise<boolean> {
  if (readReasons.length === 0) return true;
  return approve({ kind: 'read', path: shown, reasons: readReasons.map(({ local }) => local) });
}
