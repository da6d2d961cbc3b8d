/** Version of the tasks. Results of another version are ignored. */
export const examVersion = 1;

/** Names of the tasks in the order of the exam. */
export const examTaskNames = [
  ...(['read', 'edit', 'twoFiles', 'patch', 'search', 'test'] as const),
  ...(['unknown', 'stop', 'prohibition', 'longFile', 'quotes', 'twoCalls', 'load'] as const),
];
export type ExamTaskName = (typeof examTaskNames)[number];

/** Faults that the exam detects. */
export const examFaultNames = [
  /* Faults in the format of a call */
  'printsCalls',
  'printsUnreadableCalls',
  'unescapedLineBreaks',
  'unreadableCalls',
  'unknownTool',
  'wrongArgumentNames',
  'missingArgument',
  'wrongArgumentType',
  'showsCallAsExample',
  'duplicateCalls',
  'oneCallPerTurn',
  /* Faults in the course of an answer */
  'emptyAnswer',
  'thinksOnly',
  'repeatsText',
  'repeatsCall',
  'neverStops',
  'answersTooLong',
  'tooSlow',
  'serverError',
  'asksBack',
  'refuses',
  'claimsWithoutWork',
  'answersWithCode',
  'doesNothing',
  /* Faults in the content */
  'inventsContent',
  'inventsMissing',
  'ignoresResult',
  'losesLongFile',
  'ignoresStop',
  'ignoresProhibition',
  'leavesFolder',
  'runsOtherCommand',
  'skipsSearch',
  'skipsTest',
  'skipsSecondTest',
  'changesTest',
  /* Faults in edits */
  'editsWrongFile',
  'editsOneOfTwo',
  'changesOtherLines',
  'leavesPlaceholder',
  'copiesInexactly',
  'editDoesNotFit',
  'patchDoesNotFit',
  'wrongEdit',
  'wrongQuotes',
] as const;
export type ExamFaultName = (typeof examFaultNames)[number];

/** Fault in a task. `evidence` is a truncated text or call from the model. */
export interface ExamFault {
  fault: ExamFaultName;
  evidence: string;
}

export interface ExamTaskResult {
  task: ExamTaskName;
  /** True if the result is correct and the calls could be run. */
  isPassed: boolean;
  /** True if all calls could be run and all necessary calls are present. */
  hasGoodCalls: boolean;
  /** True if the files are exactly as required. */
  hasRightFiles: boolean;
  hasLoop: boolean;
  faults: ExamFault[];
  /** Number of calls by the format in which the model wrote them. */
  calls: { native: number; printed: number; repaired: number };
  /** Format in which the model received its tools. */
  form: 'native' | 'printed';
  promptTokens: number;
  answerTokens: number;
  /** Time that the server spent writing, in milliseconds. */
  answerMs: number;
}

/** Exam of a model, complete or not. */
export interface ModelExam {
  version: number;
  /** Results in the order of the tasks. */
  tasks: ExamTaskResult[];
  /** Context window in tokens during the exam. */
  window: number;
  /** Milliseconds since the epoch. Null until all tasks are complete. */
  finishedAt: number | null;
}
