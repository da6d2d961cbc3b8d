import type { ReasonKey } from './reasons';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

/**
 * Says how severe a use of a program is: severity, reason ('' for none) and pattern. A pattern is words apart by blanks, which must all
 * hold: `rm|prune` the next subcommand · `-f|--force` one of these options is given · `<device>` an argument has this shape (see
 * `shapes.ts`) · `/regex/i` an argument matches · `!…` the opposite · nothing: always.
 */
export type Rule = readonly [severity: Severity, reason: ReasonKey | '', pattern: string];

/** Holds the rules of programs that are used alike, the first that holds counts, and where their use is described. */
export interface RuleGroup {
  /** Names without folder and `.exe`, in lower case, apart by blanks. */
  programs: string;
  source: string;
  rules: readonly Rule[];
}

/** Returns a subcommand and all that it may be shortened to: `shortened('publish', 3)` is `pub|publ|…|publish`. */
export function shortened(word: string, least: number): string {
  return Array.from({ length: word.length - least + 1 }, (_, at) => word.slice(0, least + at)).join('|');
}

/** Builds a group of rules. */
export function group(programs: string, source: string, ...rules: Rule[]): RuleGroup {
  return { programs, source, rules };
}
