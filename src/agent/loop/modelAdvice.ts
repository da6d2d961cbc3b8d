import { callTool } from '../../types/loadedTools';
import type { LoopGuard } from './loopGuard';
import type { FalseClaim } from './claims';
import type { StreamedAnswer } from '../stream/streamProcessor';
import type { ToolResult } from '../tools/kernel/tool';
import { completionMark } from '../prompt/promptBuilder';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { cutHead } from '../../types/cutText';

export function unreadableCall(problem: string): string {
  return `Nothing was run, because the call cannot be read: ${problem}. Write it once more, whole and as valid JSON.`;
}

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

/** Returns the hint for the retry after an empty answer, or undefined if the reason is unknown. */
export function emptyAnswerHint({ hasThinking, stats }: StreamedAnswer, tools: ToolRegistry): string | undefined {
  if (hasThinking) return '[You thought about it and gave no answer. Give it now.]';
  if ((stats.answerTokens ?? 0) === 0 || tools.isEmpty) return undefined;
  const declared = tools.declaredNames();
  const others = tools.isDeclared(callTool) ? ` Any other tool must be run with ${callTool}.` : '';
  return `[Nothing of your last answer arrived. The tools are: ${declared.join(', ')}. Call one of them with its own arguments, or answer in words.${others}]`;
}

/** Returns the hint for the retry after the server has probably dropped a call. */
export function droppedCallHint(tools: ToolRegistry): string {
  const names = tools.declaredNames();
  return `[A call of your last answer did not arrive, so nothing was run. These tools can be called directly: ${names.join(', ')}. To run any other tool, call ${callTool} with {"name": …, "arguments": {…}}. If you made no call, write ${completionMark}.]`;
}

export function shownCallHint(tool: string): string {
  return `[Nothing was run: your answer shows a call of ${tool} as text. To make the call, answer with it alone, without other words. If it was an example, or must not run, write [TASK_COMPLETE].]`;
}

export function claimHint({ claim, sentence, failure }: FalseClaim): string {
  const what = claim === 'written' ? 'wrote anything' : 'ran anything';
  const short = sentence.length > longestProblem ? `${cutHead(sentence, longestProblem)}…` : sentence;
  if (failure !== null) {
    const how = failure.exitCode === null ? 'did not finish' : `failed with exit code ${failure.exitCode}`;
    return `[You wrote “${short}”, but your last command ${how}. Fix the cause and run it again, or say plainly that it failed.]`;
  }
  return `[You wrote “${short}”, but no call of yours ${what} in this turn. If it is to be done, call the tool now. If not, say plainly that it is not done, or end with [TASK_COMPLETE].]`;
}

const longestProblem = 300;

/** Returns the hint for the retry after an unreadable call. `problem` may quote a long call. */
export function unreadableCallHint(problem: string): string {
  const short = problem.length > longestProblem ? `${cutHead(problem, longestProblem)}…` : problem;
  return `[Nothing was run: the server could not read the call in your last answer: ${short}. Write it once more, whole and as valid JSON; put long text into several smaller calls.]`;
}
