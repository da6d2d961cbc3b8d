import type { DeniedAccess } from '../../../protocol/toolFacts';
import { visibleLine } from '../../../protocol/text/visibleText';
import { t } from '../../translate';

/** Returns what the sandbox denied, as a part of a sentence. */
export function denialText({ kind, target }: DeniedAccess): string {
  const shown = target === null ? null : visibleLine(target);
  if (kind === 'network') return shown === null ? t('network access') : t('network access to {0}', shown);
  return shown === null ? t('writing outside the workspace') : t('writing {0}', shown);
}
