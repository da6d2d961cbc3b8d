import type { Entry } from '../../protocol/entries';
import { callTexts, finalText, loggedCalls } from './evidence';
import type { Evidence } from './examTask';
import type { RecordedAnswer } from './examClient';
import { failed, noted, type ExamFinding } from './finding';

/** Number of consecutive identical calls that count as a loop, normally and when the token budget is used up. */
const repetitions = { usual: 3, atBudget: 2 };
/** Text of 4 to 120 characters that is repeated five times. */
const repeatedText = /([\s\S]{4,120}?)\1{4}/;
/** Maximum tokens of an answer that contains only the completion mark. The server removes this mark. */
const markTokens = 12;

/** Finds faults in the flow of a task, such as empty answers, repetition and endless answers. */
export function flowFaults(evidence: Evidence): ExamFinding[] {
  const { task, answers, end } = evidence;
  const asked = answers.filter(({ isRepair }) => !isRepair);
  const found = asked.map((answer, at) => emptyFault(answer, at > 0 && at === asked.length - 1)).filter((one) => one !== null);
  if (hasTextLoop(evidence)) found.push(failed('repeatsText', lastText(answers)));
  const repeated = repeatedCall(evidence);
  if (repeated !== null) found.push(failed('repeatsCall', repeated));
  const cut = asked.find(({ doneReason, text }) => doneReason === 'length' && text.trim() !== '');
  if (cut && !hasTextLoop(evidence)) found.push(noted('answersTooLong', cut.text));
  const isOver = end === 'budget' || end === 'limit';
  const isEndless = isOver && repeated === null && task.needsCalls > 0 && loggedCalls(evidence).length > 1;
  if (isEndless && finalText(evidence) === '' && !cut) {
    found.push(failed('neverStops', callTexts(evidence).slice(-3).join('\n')));
  }
  if (end === 'time') found.push(failed('tooSlow', lastText(answers)));
  const error =
    end === 'failed' ? answers.findLast((answer) => answer.error && !answer.error.isUnreadableCall)?.error : undefined;
  if (error) found.push(failed('serverError', error.message));
  return found;
}

/** Returns whether the model repeated the same text or the same call. */
export function hasLoop(evidence: Evidence): boolean {
  return hasTextLoop(evidence) || repeatedCall(evidence) !== null;
}

/** Returns the fault of an empty answer. An empty last answer after tool calls is only the completion mark. */
function emptyFault(
  { text, thinking, calls, isComplete, answerTokens, doneReason }: RecordedAnswer,
  isLast: boolean,
): ExamFinding | null {
  if (!isComplete || calls.length > 0) return null;
  const said = text.replaceAll('[TASK_COMPLETE]', '').trim();
  if (said !== '') return null;
  if (thinking.trim() !== '') return noted('thinksOnly', thinking);
  const isMark = text.trim() !== '' || (isLast && answerTokens <= markTokens);
  return isMark ? null : noted('emptyAnswer', `${answerTokens} tokens, ${doneReason ?? 'no reason'}`);
}

function hasTextLoop({ entries, answers }: Evidence): boolean {
  const isCutLoop = answers.some(({ doneReason, text }) => doneReason === 'length' && repeatedText.test(text));
  return isCutLoop || entries.some((entry, at) => isLoop(entry) && entries[at - 1]?.type === 'assistant_output');
}

function isLoop(entry: Entry): boolean {
  return entry.type === 'system_message' && entry.data.code === 'loop';
}

/** Returns a call that the model made several times in a row, or null if there is none. */
function repeatedCall(evidence: Evidence): string | null {
  const calls = callTexts(evidence);
  const most = evidence.end === 'budget' ? repetitions.atBudget : repetitions.usual;
  const again = calls.find(
    (call, at) => calls.slice(at, at + most).every((other) => other === call) && at + most <= calls.length,
  );
  const isStopped = evidence.entries.some((entry, at) => isLoop(entry) && evidence.entries[at - 1]?.type !== 'assistant_output');
  return again ?? (isStopped ? (calls.at(-1) ?? '') : null);
}

function lastText(answers: readonly RecordedAnswer[]): string {
  return answers.findLast(({ text }) => text !== '')?.text ?? '';
}
