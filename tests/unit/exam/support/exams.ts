import { examTaskNames, examVersion, type ExamTaskName, type ExamTaskResult, type ModelExam } from '../../../../src/types/exam';

const passed: Omit<ExamTaskResult, 'task'> = {
  isPassed: true,
  hasGoodCalls: true,
  hasRightFiles: true,
  hasLoop: false,
  faults: [],
  form: 'native',
  calls: { native: 1, printed: 0, repaired: 0 },
  promptTokens: 500,
  answerTokens: 30,
  answerMs: 1000,
};

/** Returns a complete exam of a model without faults, with some task results changed. */
export function examWith(changes: Partial<Record<ExamTaskName, Partial<ExamTaskResult>>>): ModelExam {
  const tasks = examTaskNames.map((task) => ({ task, ...passed, ...changes[task] }));
  return { version: examVersion, tasks, window: 8192, finishedAt: 1 };
}

/** Returns an exam with the same change to the result of each of these tasks. */
export function inTasks(tasks: readonly ExamTaskName[], change: Partial<ExamTaskResult>): ModelExam {
  return examWith(Object.fromEntries(tasks.map((task) => [task, change])));
}

export const noCalls = { native: 0, printed: 1, repaired: 0 };
export const printedExam = inTasks(examTaskNames, { form: 'printed', calls: noCalls });
export const lostCallsExam = inTasks(['read', 'edit', 'search'], { faults: [{ fault: 'showsCallAsExample', evidence: '' }] });
export const weakPatchExam = examWith({ patch: { hasRightFiles: false, isPassed: false } });
export const failedExam = inTasks(examTaskNames.slice(0, 6), { hasGoodCalls: false, hasRightFiles: false, isPassed: false });
