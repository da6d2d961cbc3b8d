import type { ExamFault, ExamTaskResult } from '../../types/exam';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { callFaults } from './callFaults';
import { loggedCalls } from './evidence';
import type { Evidence } from './examTask';
import { fileFaults, hasRightFiles, textFaults } from './fileFaults';
import type { ExamFinding } from './finding';
import { flowFaults, hasLoop } from './flowFaults';

/** Returns the result of a task, based on its files, its calls and the last answer. */
export function diagnose(evidence: Evidence, tools: ToolRegistry, form: 'native' | 'printed'): ExamTaskResult {
  const { task, answers, calls } = evidence;
  const ofCalls = callFaults(evidence, tools, form);
  const ofFlow = flowFaults(evidence);
  const isSilent = ofFlow.some(({ fault }) => fault === 'emptyAnswer' || fault === 'thinksOnly' || fault === 'serverError');
  const ofText = isSilent ? [] : textFaults(evidence);
  const isBroken = ofText.length > 0 || ofFlow.some(({ fault }) => fault === 'repeatsText');
  const ofTask = isBroken ? [] : (task.judge?.(evidence) ?? []);
  const found = [...ofCalls, ...ofFlow, ...fileFaults(evidence), ...ofText, ...ofTask];
  const isRight = hasRightFiles(evidence);
  const logged = loggedCalls(evidence).length;
  const hasCalls = task.needsCalls === 0 ? logged === 0 : logged > 0;
  const repaired = answers.filter(({ isRepair }) => isRepair).length;
  const sum = (of: 'promptTokens' | 'answerTokens' | 'answerMs') => answers.reduce((all, answer) => all + answer[of], 0);
  const hasGoodCalls = hasCalls && calls.every(({ isReadable }) => isReadable) && !ofCalls.some(isBadCall);
  return {
    task: task.name,
    isPassed: isRight && hasCalls && isAnswered(evidence) && !found.some(({ isFatal }) => isFatal),
    hasGoodCalls,
    hasRightFiles: isRight,
    hasLoop: hasLoop(evidence),
    faults: withoutRepeats(found),
    calls: {
      native: calls.filter((call) => call.form === 'native').length,
      printed: calls.filter((call) => call.form === 'printed').length,
      repaired,
    },
    form,
    promptTokens: sum('promptTokens'),
    answerTokens: sum('answerTokens'),
    answerMs: sum('answerMs'),
  };
}

const badCalls: readonly string[] = [
  ...['printsUnreadableCalls', 'unreadableCalls', 'unknownTool', 'wrongArgumentNames', 'missingArgument', 'wrongArgumentType'],
  ...['unescapedLineBreaks', 'showsCallAsExample', 'leavesFolder', 'runsOtherCommand'],
];

function isBadCall({ fault }: ExamFinding): boolean {
  return badCalls.includes(fault);
}

/** Returns whether the task has an answer. A task with required file changes needs no answer. */
function isAnswered({ task, answers }: Evidence): boolean {
  return task.after !== undefined || answers.at(-1)?.text.trim() !== '';
}

function withoutRepeats(found: readonly ExamFinding[]): ExamFault[] {
  const first = new Map<string, ExamFault>();
  for (const { fault, evidence } of found) if (!first.has(fault)) first.set(fault, { fault, evidence });
  return [...first.values()];
}
