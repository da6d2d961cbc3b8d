import type { LoopGuard } from './loopGuard';
import type { Claim } from './claims';
import type { StreamedAnswer } from '../stream/streamProcessor';
import type { ToolResult } from '../tools/kernel/tool';

/** Builds the advice that a model gets besides the results of its calls. */

export function unreadableCall(problem: string): string {
  return `Nothing was run, because the call cannot be read: ${problem}. Write it once more, whole and as valid JSON.`;
}

/** Adds to a result that it was asked for again and again. */
export function nudged(result: ToolResult, { round, repetitions, howAlike }: LoopGuard): ToolResult {
  const sameArguments = howAlike === 'near' ? 'nearly the same arguments' : 'the same arguments';
  const results = { same: 'the same result', times: 'results that differ in times alone', near: 'nearly the same result' }[
    howAlike
  ];
  const what =
    round === 1
      ? `This is call number ${repetitions} in a row with ${sameArguments} and ${results}.`
      : `The last ${round} calls were made ${repetitions} times in turn with ${sameArguments} and ${results}.`;
  const advice =
    howAlike === 'times'
      ? 'If nobody asked for that, use what you know, try something else, or finish.'
      : 'Do not do that again: use what you know, try something else, or finish.';
  return { ...result, content: `${result.content}\n\n[${what} ${advice}]` };
}

/** Builds the hint for the second try after an answer without text and calls; undefined if nothing is known of the reason. */
export function emptyAnswerHint({ hasThinking, stats }: StreamedAnswer, tools: readonly string[]): string | undefined {
  if (hasThinking) return '[You thought about it and gave no answer. Give it now.]';
  if ((stats.answerTokens ?? 0) === 0 || tools.length === 0) return undefined;
  return `[Nothing of your last answer arrived. The tools are: ${tools.join(', ')}. Call one of them with its own arguments, or answer in words.]`;
}

/** Builds the hint after an answer that ends with a call in a code block. */
export function shownCallHint(tool: string): string {
  return `[Nothing was run: your answer shows a call of ${tool} in a code block. To make the call, answer with it alone, without other words. If it was meant as an example, write [TASK_COMPLETE].]`;
}

/** Builds the hint after an answer that says work was done which no call has done. */
export function claimHint({ claim, sentence }: { claim: Claim; sentence: string }): string {
  const what = claim === 'written' ? 'wrote anything' : 'ran anything';
  const short = sentence.length > longestProblem ? `${sentence.slice(0, longestProblem)}…` : sentence;
  return `[You wrote “${short}”, but no call of yours ${what} in this turn. If it is to be done, call the tool now. If not, say plainly that it is not done, or end with [TASK_COMPLETE].]`;
}

const longestProblem = 300;

/**
 * Builds the hint after an answer that the server dropped because of a call in it. `problem` may quote the call at any
 * length.
 */
export function unreadableCallHint(problem: string): string {
  const short = problem.length > longestProblem ? `${problem.slice(0, longestProblem)}…` : problem;
  return `[Nothing was run: the server could not read the call in your last answer: ${short}. Write it once more, whole and as valid JSON; put long text into several smaller calls.]`;
}
