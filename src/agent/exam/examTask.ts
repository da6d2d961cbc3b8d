import type { Entry, EntryInput } from '../../protocol/entries';
import type { ExamTaskName } from '../../types/exam';
import type { ExamBudget, RecordedAnswer } from './examClient';
import type { ExamFinding } from './finding';
import type { ModelCall } from './modelCalls';

/** Contents of the files of a task, by file name. */
export type ExamFiles = Readonly<Record<string, string>>;

export interface ExamTask {
  name: ExamTaskName;
  files: ExamFiles;
  /** Conversation that precedes the message. */
  before?: readonly EntryInput[];
  message: string;
  tools: readonly string[];
  /** True if the model must load these tools. */
  loadsTools?: boolean;
  /** Number of calls that the task needs, or 0 if the task forbids calls. */
  needsCalls: number;
  /** Files that the task must change, with their expected contents. All other files must stay unchanged. */
  after?: ExamFiles;
  /** Returns whether another version of a file in `after` is also correct. */
  accepts?: (name: string, text: string) => boolean;
  /** Files that the task must not change. */
  forbidden?: readonly string[];
  /** The only command that the task may run. */
  command?: string;
  budget: ExamBudget;
  /** Finds the faults that are specific to this task. */
  judge?: (evidence: Evidence) => ExamFinding[];
}

/** Reason why a task ended. `budget`: the token budget was used up. `time`: the time limit was reached. */
export type ExamEnd = 'done' | 'limit' | 'failed' | 'budget' | 'time';

/** Record of a task. The result is computed from it. */
export interface Evidence {
  task: ExamTask;
  answers: readonly RecordedAnswer[];
  /** Calls as the model wrote them, in order. */
  calls: readonly ModelCall[];
  /** Log entries that the task added. */
  entries: readonly Entry[];
  files: ExamFiles;
  end: ExamEnd;
}
