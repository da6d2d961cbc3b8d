import { t } from '../../../utils/l10n';
import { reasonText } from './rules/reasons';
import type { Severity } from './rules/ruleTable';
import type { Shapes } from './rules/shapes';

/** Maximum number of paths that a reason names. */
const maxNamed = 3;

/** Returns a finding about a deletion. The reason names the paths outside the workspace. */
export function deletion(severity: Severity, words: readonly string[], shapes: Shapes) {
  const outside = [...new Set(words.filter((word) => !word.startsWith('-') && shapes.has('system', word, false)))];
  if (outside.length === 0) {
    const isWhole = words.some((word) => shapes.has('broad', word, false));
    return { severity, reason: reasonText(isWhole ? 'deletesBroadly' : 'deletesFolders') };
  }
  const named = outside.slice(0, maxNamed).join(', ');
  const names = outside.length > maxNamed ? [named, t('{0} more', outside.length - maxNamed)].join(', ') : named;
  const isCertain = outside.some((word) => !climbs(word));
  const reason = isCertain
    ? t('deletes {0}, outside the workspace', names)
    : t('deletes {0}, maybe outside the workspace', names);
  return { severity, reason, namesPath: true as const };
}

/** Returns a finding about a file that a command writes. */
export function writing(severity: Severity, path: string, shapes: Shapes) {
  if (!shapes.isOutside(path)) return { severity, reason: t('writes {0}', path) };
  const reason = climbs(path) ? t('writes {0}, maybe outside the workspace', path) : t('writes {0}, outside the workspace', path);
  return { severity, reason, namesPath: true as const };
}

/** Returns whether a path contains parent folders (`..`). Such a path may still be in the workspace. */
function climbs(path: string): boolean {
  return path.split(/[\\/]/).includes('..');
}
