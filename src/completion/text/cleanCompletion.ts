import { untilBlockEnd } from './blockEnd';
import { withoutDoubleClosers } from './closers';
import { isBlank, type RawCompletion, type CleaningRule } from './rawCompletion';
import {
  withOwnIndentation,
  withoutLeadingBlank,
  withoutOwnIndent,
  withoutTrailingBlanks,
  withPlainLineEnds,
} from './indentation';
import { withoutThinking, withoutTokens } from './modelTokens';
import { withoutLinesAbove, withoutLineStart, withoutNextLines, cutRepeatedLines, withoutRepeatedWords } from './repeated';
import { withoutEmptyComment, withoutFences, withoutPaths, withoutProse } from './wrapping';

export type { RawCompletion } from './rawCompletion';

const firstLine: CleaningRule = (text, { multiline }) => (multiline ? text : (text.split('\n')[0] ?? ''));

/** Rules in order: first remove the wrapping of a response, then remove repetitions, then fix the formatting. */
const rules: readonly CleaningRule[] = [
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
  cutRepeatedLines,
  withoutRepeatedWords,
  untilBlockEnd,
  withoutDoubleClosers,
  withoutEmptyComment,
  withoutTrailingBlanks,
];

/** Returns the part of a model response to display. Returns undefined if no text remains. Does not change good responses. */
export function cleanCompletion(at: RawCompletion): string | undefined {
  let text = at.raw;
  for (const rule of rules) {
    text = rule(text, at);
    if (isBlank(text)) return undefined;
  }
  return text;
}
