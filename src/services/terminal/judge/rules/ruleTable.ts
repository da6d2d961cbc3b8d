import { isReason, type ReasonKey } from './reasons';

export const severities = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Says how severe a use of a program is; holds if one of its patterns does. */
export interface Rule {
  severity: Severity;
  reason: ReasonKey | null;
  patterns: readonly string[];
}

/**
 * Reads a table of rules; returns the rules of each program. The first rule that holds counts. A group of programs that are
 * used alike begins with its source:
 *
 *     // rm(1)
 *     rm rmdir = high deletesFiles
 *       critical deletesBroadly: -r|--recursive <broad>
 *         or --no-preserve-root
 *       low: --help
 *         |--version
 *
 * Names of programs are in lower case, without folder and `.exe`, and may go on in the next line. Behind `=` is what holds if no
 * row does; without it such a use is unknown. A pattern is conditions with blanks between them, which must all hold:
 * `rm|un[link]` the next subcommand, of `unlink` at least `un` · `image|volume?` a subcommand that may be missing · `<no-sub>`
 * no subcommand follows · `-f|--force` one of these options is given · `<device>` an argument has this shape (see `shapes.ts`)
 * · `/regex/i` an argument matches · `!…` the opposite. Throws for an unknown severity or reason.
 */
export function readRules(table: string): [program: string, rules: Rule[]][] {
  return table.split(/^\/\/.*\n/m).flatMap((group) => {
    // What is indented twice goes on with the row before it, from a stroke on with the list of words that ends there.
    const [head = '', ...rows] = group
      .trim()
      .replace(/\n {4}(?=\|)/g, '')
      .replace(/\n {4}/g, ' ')
      .split('\n  ');
    const [programs = '', otherwise] = head.replaceAll('\n', ' ').split(' = ');
    const rules = rows.map((row) => ruleOf(row.split(': ', 1)[0] ?? '', row.slice(row.indexOf(': ') + 2)));
    if (otherwise !== undefined) rules.push(ruleOf(otherwise, ''));
    return programs === '' ? [] : programs.split(' ').map((program): [string, Rule[]] => [program, rules]);
  });
}

function ruleOf(verdict: string, patterns: string): Rule {
  const [word, reason = null] = verdict.split(' ');
  const severity = severities.find((one) => one === word);
  if (severity === undefined || (reason !== null && !isReason(reason))) throw new Error(`No severity and reason: ${verdict}`);
  return { severity, reason, patterns: patterns.split(' or ') };
}
