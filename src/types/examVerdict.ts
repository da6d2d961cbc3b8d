import type { ExamFaultName, ExamTaskName, ExamTaskResult, ModelExam } from './exam';

/** Results of an exam, and conclusions drawn from them. */
export interface ExamVerdict {
  /** Numbers of tasks: with good calls, with the right files, and with a loop. */
  calls: number;
  edits: number;
  loops: number;
  /** Number of completed tasks. */
  done: number;
  tokensPerSecond: number | null;
  /** Context window in tokens. */
  window: number;
  /** Format in which the model writes its calls. */
  form: 'native' | 'printed';
  /** True if calls had to be repaired or requested again in several tasks. */
  needsRepair: boolean;
  /** Edit tool that the model cannot use although it can use the other one. Null if there is none. */
  weakEdit: 'replace_in_file' | 'apply_patch' | null;
  /** False if the model failed to load a tool and run it. */
  canLoadTools: boolean;
  /** True if the model can work as an agent. */
  isFit: boolean;
}

/** Minimum number of tasks with good calls for a model that can work as an agent. */
const leastCalls = 9;
/** Minimum number of tasks with the right files for a model that can work as an agent. */
const leastEdits = 9;
/** Maximum number of tasks with a loop for a model that can work as an agent. */
const mostLoops = 2;
/** Minimum number of tasks with a repaired or lost call for `needsRepair`. */
const leastRepairs = 3;

export function examVerdict({ tasks, window }: Pick<ModelExam, 'tasks' | 'window'>): ExamVerdict {
  const count = (has: (task: ExamTaskResult) => boolean) => tasks.filter(has).length;
  const sum = (of: (task: ExamTaskResult) => number) => tasks.reduce((all, task) => all + of(task), 0);
  const calls = count(({ hasGoodCalls }) => hasGoodCalls);
  const edits = count(({ hasRightFiles }) => hasRightFiles);
  const loops = count(({ hasLoop }) => hasLoop);
  const answerMs = sum((task) => task.answerMs);
  return {
    calls,
    edits,
    loops,
    window,
    done: tasks.length,
    tokensPerSecond: answerMs > 0 ? (sum((task) => task.answerTokens) * 1000) / answerMs : null,
    form: judgeForm(tasks),
    needsRepair: needsRepair(tasks),
    weakEdit: findWeakEdit(tasks),
    canLoadTools: tasks.every(({ task, hasRightFiles }) => task !== 'load' || hasRightFiles),
    isFit: calls >= leastCalls && edits >= leastEdits && loops <= mostLoops,
  };
}

function judgeForm(tasks: readonly ExamTaskResult[]): ExamVerdict['form'] {
  const sum = (form: 'native' | 'printed') => tasks.reduce((all, { calls }) => all + calls[form], 0);
  return tasks.at(-1)?.form === 'printed' || sum('printed') > sum('native') ? 'printed' : 'native';
}

/** Faults after which the agent requests the call again. */
const lostCalls: readonly ExamFaultName[] = ['emptyAnswer', 'showsCallAsExample', 'unreadableCalls', 'printsUnreadableCalls'];

function needsRepair(tasks: readonly ExamTaskResult[]): boolean {
  const isLost = ({ calls, faults }: ExamTaskResult) =>
    calls.repaired > 0 || faults.some(({ fault }) => lostCalls.includes(fault));
  return tasks.filter(isLost).length >= leastRepairs;
}

function findWeakEdit(tasks: readonly ExamTaskResult[]): ExamVerdict['weakEdit'] {
  const can = (...names: ExamTaskName[]) => tasks.some(({ task, hasRightFiles }) => hasRightFiles && names.includes(task));
  const replaces = can('edit', 'twoFiles', 'search', 'prohibition');
  const patches = can('patch');
  if (replaces === patches) return null;
  return replaces ? 'apply_patch' : 'replace_in_file';
}
