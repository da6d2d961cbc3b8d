import type { Opener } from './bareForms';
import { openerAt } from './callForms';
import { announcesCall, showsCall } from './callIntro';
import type { CodeTracker } from './codeTracker';

/**
 * `own`: at the start of a line, or after a sentence or a call. `inLine`: after other words. `shown`: after words that present an example.
 */
export type CallPlace = 'own' | 'inLine' | 'shown';

/** Text before a form, as far as it matters. */
export interface Surroundings {
  code: Pick<CodeTracker, 'isInside' | 'isQuoted' | 'recent'>;
  isLineStart: boolean;
  /** True before the first text. */
  isFirst: boolean;
  /** True after a call with only white space since. */
  follows: boolean;
  hasCalls: boolean;
}

const sentenceEnd = /[.!?…。！？]["')*_]*\s*$/;
/** End of words that may announce a call. */
const introduction = /[:.!?…。！？]\s*$/;

/** Returns the place of a call of this form; null if no call is possible: in code, in quotations and in likely prose. */
export function placeOf(kind: Opener['kind'], { code, isLineStart, isFirst, follows, hasCalls }: Surroundings): CallPlace | null {
  if (code.isInside) return null;
  if (kind === 'results') return hasCalls ? 'own' : null;
  if ((kind === 'fence' && isFirst) || (kind === 'bare' && (isLineStart || follows))) return 'own';
  const { recent } = code;
  if (code.isQuoted) return null;
  if (kind === 'fence' || kind === 'bare') return introduction.test(recent.slice(-20)) && announcesCall(recent) ? 'inLine' : null;
  if (kind === 'word' && /\w$/.test(recent)) return null;
  if (kind !== 'token' && showsCall(recent)) return 'shown';
  return isLineStart || follows || sentenceEnd.test(recent) ? 'own' : 'inLine';
}

/** Tells whether a sentence continues after the call. */
export function isSentenceAround(raw: string, rest: string): boolean {
  const goesOn = raw.includes('\n') ? /^ +\p{Ll}/u.test(rest) : /^[ \t]*\S/.test(rest);
  return goesOn && openerAt(rest.trimStart(), 0) === null;
}
