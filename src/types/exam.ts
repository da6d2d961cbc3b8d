/** Version of the tasks. Results of another version are not used. */
export const examVersion = 1;

/** Names of the tasks, in the order of the exam. */
export const examTaskNames = [
  ...(['read', 'edit', 'twoFiles', 'patch', 'search', 'test'] as const),
  ...(['unknown', 'stop', 'prohibition', 'longFile', 'quotes', 'twoCalls', 'load'] as const),
];
export type ExamTaskName = (typeof examTaskNames)[number];

/** Faults that the exam recognizes. */
export const examFaultNames = [
  /* Form of a call */
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
  /* Flow of an answer */
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
  /* Content */
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
  /* Edits */
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

/** Fault of a task. `evidence`: text or call of the model, shortened. */
export interface ExamFault {
  fault: ExamFaultName;
  evidence: string;
}

export interface ExamTaskResult {
  task: ExamTaskName;
  /** True if the result is right and the calls could be run. */
  isPassed: boolean;
  /** True if all calls could be run and the task has those that it needs. */
  hasGoodCalls: boolean;
  /** True if the files are exactly as required. */
  hasRightFiles: boolean;
  hasLoop: boolean;
  faults: ExamFault[];
  /** Calls by the form in which the model wrote them. */
  calls: { native: number; printed: number; repaired: number };
  /** Form in which the model got its tools. */
  form: 'native' | 'printed';
  promptTokens: number;
  answerTokens: number;
  /** Milliseconds that the server spent writing. */
  answerMs: number;
}

/** Exam of a model, complete or not. */
export interface ModelExam {
  version: number;
  /** Results in the order of the tasks. */
  tasks: ExamTaskResult[];
  /** Context window in tokens during the exam. */
  window: number;
  /** Milliseconds since the epoch; null until all tasks are done. */
  finishedAt: number | null;
}
