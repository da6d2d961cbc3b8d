import { isReason, type ReasonKey } from './reasons';

export const severities = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Severity of one way to use a program. The rule applies if one of its patterns matches. */
export interface SeverityRule {
  severity: Severity;
  reason: ReasonKey | null;
  patterns: readonly string[];
}

/**
 * Parses a rule table and returns the rules of each program. The first matching rule applies. Each group of similar
 * programs begins with a comment that names its source:
 *
 *   // rm(1)
 *   rm rmdir = high deletesFiles
 *     critical deletesBroadly: -r|--recursive <broad>
 *       or --no-preserve-root
 *     low: --help
 *       |--version
 *
 * Program names are lower case, without folder and `.exe`. They may continue on the next line. The verdict after `=` applies if
 * no row matches. Without it, an unmatched use is unknown. Blanks separate the conditions of a pattern, which must all match:
 * - `rm|un[link]`: the next subcommand. `unlink` may be abbreviated to `un`.
 * - `image|volume?`: an optional subcommand.
 * - `<no-sub>`: no subcommand follows.
 * - `-f|--force`: one of these options is present.
 * - `<device>`: an argument has this shape (see `shapes.ts`).
 * - `/regex/i`: an argument matches.
 * - `!…`: negation.
 *
 * Throws for an unknown severity or reason.
 */
export function parseRules(table: string): [program: string, rules: SeverityRule[]][] {
  return table.split(/^\/\/.*\n/m).flatMap((group) => {
    // A row with double indentation continues the previous row. If it begins with `|`, it continues the last list of words.
    const [head = '', ...rows] = group
      .trim()
      .replace(/\n {4}(?=\|)/g, '')
      .replace(/\n {4}/g, ' ')
      .split('\n  ');
    const [programs = '', otherwise] = head.replaceAll('\n', ' ').split(' = ');
    const rules = rows.map((row) => createRule(row.split(': ', 1)[0] ?? '', row.slice(row.indexOf(': ') + 2)));
    if (otherwise !== undefined) rules.push(createRule(otherwise, ''));
    return programs === '' ? [] : programs.split(' ').map((program): [string, SeverityRule[]] => [program, rules]);
  });
}

function createRule(verdict: string, patterns: string): SeverityRule {
  const [word, reason = null] = verdict.split(' ');
  const severity = severities.find((one) => one === word);
  if (severity === undefined || (reason !== null && !isReason(reason))) throw new Error(`No severity and reason: ${verdict}`);
  return { severity, reason, patterns: patterns.split(' or ') };
}
