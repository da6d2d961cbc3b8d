import { t } from '../../../utils/l10n';
import { cannotWriteNotice } from '../../kernel/notices';
import { failure } from '../kernel/toolFailure';
import type { ToolResult } from '../kernel/tool';

const reasons: Readonly<Record<string, 'readOnly' | 'diskFull'>> = {
  EROFS: 'readOnly',
  EACCES: 'readOnly',
  EPERM: 'readOnly',
  ENOSPC: 'diskFull',
  EDQUOT: 'diskFull',
};

/** Returns the result for a write error that only the user can fix, or undefined for other errors. */
export function writeErrorResult(error: unknown, path: string): ToolResult | undefined {
  const reason = error instanceof Error && 'code' in error ? reasons[String(error.code)] : undefined;
  if (reason === undefined) return undefined;
  const why = reason === 'readOnly' ? 'the folder is read-only' : 'the disk is full';
  return {
    ...failure({
      local: reason === 'readOnly' ? t('read-only folder') : t('disk full'),
      english: `${path} was not written: ${why}. Only the user can change that; do not try again, but tell the user what you would have written.`,
    }),
    notice: cannotWriteNotice(path, reason),
  };
}
