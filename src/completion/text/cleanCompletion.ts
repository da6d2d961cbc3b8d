import { untilBlockEnd } from './blockEnd';
import { withoutDoubleClosers } from './closers';
import { isBlank, type Dirty, type Rule } from './dirty';
import {
  withOwnIndentation,
  withoutLeadingBlank,
  withoutOwnIndent,
  withoutTrailingBlanks,
  withPlainLineEnds,
} from './indentation';
import { withoutThinking, withoutTokens } from './modelTokens';
import { withoutLinesAbove, withoutLineStart, withoutNextLines, withoutRepeatedLines, withoutRepeatedWords } from './repeated';
import { withoutEmptyComment, withoutFences, withoutPaths, withoutProse } from './wrapping';

export type { Dirty } from './dirty';

/** Keeps the first line, where one was asked for. */
const firstLine: Rule = (text, { multiline }) => (multiline ? text : (text.split('\n')[0] ?? ''));

/** Rules in their order: what is around an answer first, then what the answer says again, then how it is written. */
const rules: readonly Rule[] = [
  withPlainLineEnds,
  withoutThinking,
  withoutTokens,
  withoutFences,
  withoutProse,
  withoutPaths,
  withoutLeadingBlank,
  withoutLineStart,
  withoutOwnIndent,
  withOwnIndentation,
  firstLine,
  withoutLinesAbove,
  withoutNextLines,
  withoutRepeatedLines,
  withoutRepeatedWords,
  untilBlockEnd,
  withoutDoubleClosers,
  withoutEmptyComment,
  withoutTrailingBlanks,
];

/** Returns what of a model's words can be shown; undefined where nothing is left. What a good answer says stays as it is. */
export function cleanCompletion(at: Dirty): string | undefined {
  let text = at.raw;
  for (const rule of rules) {
    text = rule(text, at);
    if (isBlank(text)) return undefined;
  }
  return text;
}
