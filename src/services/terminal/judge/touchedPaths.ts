import { t } from '../../../utils/l10n';
import { reasonText } from './rules/reasons';
import type { Severity } from './rules/ruleTable';
import type { Shapes } from './rules/shapes';

/** Maximum number of paths that a reason names. */
const maxNamed = 3;

/** Programs whose operands are all paths that they delete. */
const deleters = /^(rm|rmdir|unlink)$/;
/** Options of PowerShell that take a pattern as the next argument. */
const patternOption = /^-(excl|incl|filter)/i;

/** Returns findings about a deletion. If a path is outside the workspace, the reasons name all paths. */
export function deletions(program: string, severity: Severity, words: readonly string[], shapes: Shapes) {
  const found = deletion(severity, words, shapes);
  const inside = operandsIn(words).filter((word) => !isElsewhere(word, shapes));
  const isKnown = deleters.test(program) && !words.some((word) => patternOption.test(word));
  return 'namesPath' in found && isKnown && inside.length > 0
    ? [found, { severity, reason: t('deletes {0}', formatNames(inside)) }]
    : [found];
}

/** Returns whether a program deletes a path outside the workspace, such as a file in a temporary folder. */
export function deletesElsewhere(program: string, words: readonly string[], shapes: Shapes): boolean {
  return deleters.test(program) && operandsIn(words).some((word) => isElsewhere(word, shapes));
}

/** Returns a finding about a deletion. The reason names the paths outside the workspace. */
export function deletion(severity: Severity, words: readonly string[], shapes: Shapes) {
  const outside = operandsIn(words).filter((word) => isElsewhere(word, shapes));
  if (outside.length === 0) {
    const isWhole = words.some((word) => shapes.has('broad', word, false));
    return { severity, reason: reasonText(isWhole ? 'deletesBroadly' : 'deletesFolders') };
  }
  const names = formatNames(outside);
  const isCertain = outside.some((word) => !climbs(word));
  const reason = isCertain
    ? t('deletes {0}, outside the workspace', names)
    : t('deletes {0}, possibly outside the workspace', names);
  return { severity, reason, namesPath: true as const };
}

/** Returns a finding about a file that a command writes. */
export function writing(severity: Severity, path: string, shapes: Shapes) {
  if (!shapes.isElsewhere(path)) return { severity, reason: t('writes {0}', path) };
  const reason = climbs(path)
    ? t('writes {0}, possibly outside the workspace', path)
    : t('writes {0}, outside the workspace', path);
  return { severity, reason, namesPath: true as const };
}

function operandsIn(words: readonly string[]): string[] {
  return [...new Set(words.filter((word) => !word.startsWith('-')))];
}

/** Returns whether a word is a path outside the workspace. Excludes options of Windows programs, such as `/s`. */
function isElsewhere(word: string, shapes: Shapes): boolean {
  return shapes.isElsewhere(word) && !/^\/[a-z]$/i.test(word);
}

function formatNames(paths: readonly string[]): string {
  const named = paths.slice(0, maxNamed).join(', ');
  return paths.length > maxNamed ? [named, t('{0} more', paths.length - maxNamed)].join(', ') : named;
}

/** Returns whether a path contains parent folders (`..`). Such a path may still be in the workspace. */
function climbs(path: string): boolean {
  return path.split(/[\\/]/).includes('..');
}
