import type { Opener } from './bareForms';
import type { CallBlock } from './callBlock';
import { openerAt } from './callForms';
import { announcesCall, showsCall, type Intent } from './callIntro';
import type { CodeTracker } from './codeTracker';
import { isPlainCall } from './readCalls';
import type { WrittenCall } from './writtenCall';

/**
 * Position of a call. `own`: at the start of a line, or after a sentence or another
 * call. `inLine`: after other words. `shown`: after words that introduce an example.
 */
export type CallPlace = 'own' | 'inLine' | 'shown';

/**
 * Possible effect of a call. `changes`: it changes files, which the user can review
 * and undo. `destroys`: it deletes, runs a command or acts outside the workspace.
 */
export type CallRisk = 'reads' | 'changes' | 'destroys';

export interface OpenBlock {
  block: CallBlock;
  opener: Opener;
  place: CallPlace;
  /** Last reported name. Undefined before the first report. */
  reportedName?: string | null;
}

/** Relevant facts about the text before a tool call. */
export interface Surroundings {
  code: Pick<CodeTracker, 'isInside' | 'isQuoted' | 'recent'>;
  isLineStart: boolean;
  /** True if there is no text before the form. */
  isFirst: boolean;
  /** True if only white space separates the form from an earlier call. */
  follows: boolean;
  hasCalls: boolean;
}

const sentenceEnd = /[.!?…。！？]["')*_]*\s*$/;
/** End of a text that may announce a call. */
const introduction = /[:.!?…。！？]\s*$/;

/** Returns the position of a call of this form, or null in code, in quotations and in likely prose. */
export function findCallPlace(
  kind: Opener['kind'],
  { code, isLineStart, isFirst, follows, hasCalls }: Surroundings,
): CallPlace | null {
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

/** Returns whether the sentence before the call continues after it. */
function isSentenceAround(raw: string, rest: string): boolean {
  const goesOn = raw.includes('\n') ? /^ +\p{Ll}/u.test(rest) : /^[ \t]*\S/.test(rest);
  return goesOn && openerAt(rest.trimStart(), 0) === null;
}

/** Decides by form and position whether a block is a call or text. `wait`: it is a call only if no words follow. */
export function judgeBlock(
  { block, opener, place }: OpenBlock,
  calls: readonly WrittenCall[],
  rest: string,
  { isTool, accepts }: { isTool: (name: string) => boolean; accepts: (call: WrittenCall) => boolean },
): 'call' | 'wait' | 'text' {
  const isValid = calls.length > 0 && calls.every((call) => !call.unreadable && isTool(call.name) && accepts(call));
  if (place === 'shown') return 'text';
  switch (opener.kind) {
    case 'token':
      // A token in the middle of a sentence and without a value is only a mention.
      return place === 'own' || block.values.some(({ text }) => text.trim() !== '') ? 'call' : 'text';
    case 'bare':
    case 'fence':
      if (place === 'inLine') return isValid ? 'wait' : 'text';
      return block.values.every((value) => isPlainCall(value, isTool)) ? 'wait' : 'text';
    default:
      if (place === 'inLine') return isValid ? 'wait' : 'text';
      if (opener.kind === 'word' && !isValid) return 'text';
      return isSentenceAround(block.raw, rest) ? 'text' : 'call';
  }
}

/**
 * Returns whether calls have an effect. `heldBack` means that the words before the calls prevent their execution. Marks
 * unannounced calls with an effect. No announcement is needed for an answer that consists only of calls in the form of a model's
 * template, with tokens or tags. Such an answer quotes nothing. Models write it if the server does not parse their calls.
 */
export function judgeEffect(
  calls: readonly WrittenCall[],
  kind: Opener['kind'],
  intent: Intent,
  riskOf: (call: WrittenCall) => CallRisk,
): 'none' | 'some' | 'heldBack' {
  const risky = calls.filter((call) => riskOf(call) !== 'reads');
  if (risky.length === 0) return 'none';
  const destroys = risky.some((call) => riskOf(call) === 'destroys');
  if (intent === 'withheld' || (destroys && intent === 'unclear' && kind !== 'token')) return 'heldBack';
  const isOfTemplate = kind === 'token' || kind === 'tag';
  const isAnnounced = intent === 'announced' || (intent === 'silent' && isOfTemplate);
  if (!isAnnounced) for (const call of risky) call.isUnannounced = true;
  return 'some';
}
