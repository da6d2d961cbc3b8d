import type { Opener } from './bareForms';
import { openerAt } from './callForms';
import { announcesCall, showsCall } from './callIntro';
import type { CodeTracker } from './codeTracker';

/** `own`: it begins a line or follows a sentence or a call. `inLine`: words stand before it. `shown`: they say that it is an example. */
export type CallPlace = 'own' | 'inLine' | 'shown';

/** Text before a form, as far as it decides. */
export interface Surroundings {
  code: Pick<CodeTracker, 'isInside' | 'isQuoted' | 'recent'>;
  isLineStart: boolean;
  /** Nothing has been said. */
  isFirst: boolean;
  /** A call, with nothing but blanks since. */
  follows: boolean;
  hasCalls: boolean;
}

const sentenceEnd = /[.!?…。！？]["')*_]*\s*$/;
/** End of words that may announce a call. */
const introduction = /[:.!?…。！？]\s*$/;

/** Returns the place of a call of this form; null where none can be: in code, in quotations, and where it may be prose. */
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

/** Tells whether a call is a part of a sentence that goes on after it. */
export function isSentenceAround(raw: string, rest: string): boolean {
  const goesOn = raw.includes('\n') ? /^ +\p{Ll}/u.test(rest) : /^[ \t]*\S/.test(rest);
  return goesOn && openerAt(rest.trimStart(), 0) === null;
}
