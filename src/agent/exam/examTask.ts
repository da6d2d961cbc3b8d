import type { Entry, EntryInput } from '../../protocol/entries';
import type { ExamTaskName } from '../../types/exam';
import type { ExamBudget, RecordedAnswer } from './examClient';
import type { Finding } from './finding';
import type { ModelCall } from './modelCalls';

/** Files of a task by name. */
export type ExamFiles = Readonly<Record<string, string>>;

export interface ExamTask {
  name: ExamTaskName;
  files: ExamFiles;
  /** Conversation before the message. */
  before?: readonly EntryInput[];
  message: string;
  tools: readonly string[];
  /** True if the model must load these tools. */
  loadsTools?: boolean;
  /** Number of calls that the task needs; 0 if it forbids calls. */
  needsCalls: number;
  /** Files that must differ in the end; the others must be unchanged. */
  after?: ExamFiles;
  /** Accepts other correct versions of a file in `after`. */
  accepts?: (name: string, text: string) => boolean;
  /** Files that the task forbids to change. */
  forbidden?: readonly string[];
  /** The only command that may run. */
  command?: string;
  budget: ExamBudget;
  /** Finds the faults that are specific to this task. */
  judge?: (evidence: Evidence) => Finding[];
}

/** Reason why a task ended. `budget`: its tokens were used up. `time`: its time was. */
export type ExamEnd = 'done' | 'limit' | 'failed' | 'budget' | 'time';

/** Record of a task, from which its result follows. */
export interface Evidence {
  task: ExamTask;
  answers: readonly RecordedAnswer[];
  /** Calls as the model wrote them, in order. */
  calls: readonly ModelCall[];
  /** Entries that the task added to its log. */
  entries: readonly Entry[];
  files: ExamFiles;
  end: ExamEnd;
}
