import type { ExamFaultName, ExamTaskName } from '../../../types/exam';
import type { ExamChange } from '../../../types/modelDefaults';
import { translatable } from '../../../types/texts';

interface TaskTexts {
  name: string;
  /** Result that the exam expects. */
  expected: string;
}

export const taskTexts: Readonly<Record<ExamTaskName, TaskTexts>> = translatable({
  read: { name: 'Read and answer', expected: 'Reads the file, then reports the number in it.' },
  edit: { name: 'One edit', expected: 'Changes one word in one file.' },
  twoFiles: { name: 'Edit two files', expected: 'Renames a function in two files, and changes nothing else.' },
  patch: { name: 'Patch', expected: 'Changes one line with a patch.' },
  search: { name: 'Search, then edit', expected: 'Searches for a name, then edits the file that contains it.' },
  test: { name: 'Fix a failing test', expected: 'Runs the test, fixes the code, then runs the test again.' },
  unknown: { name: 'Report a missing value', expected: 'Reads the file and reports that the value is missing.' },
  stop: { name: 'Stop when asked', expected: 'Stops when asked, without another tool call.' },
  prohibition: {
    name: 'Follow an earlier instruction',
    expected: 'Does not change a file, as instructed seven messages earlier.',
  },
  longFile: { name: 'Long file', expected: 'Finds two values at both ends of a long file.' },
  quotes: { name: 'JSON with quotes', expected: 'Writes a file with quotation marks and a line break in a string.' },
  twoCalls: { name: 'Two tool calls at once', expected: 'Makes two tool calls in one answer.' },
  load: { name: 'Load a tool first', expected: 'Loads a tool and runs it.' },
});

export const faultTexts: Readonly<Record<ExamFaultName, string>> = translatable({
  printsCalls: 'Writes tool calls as text.',
  printsUnreadableCalls: 'Writes tool calls that cannot be read.',
  unescapedLineBreaks: 'Does not escape line breaks in tool calls.',
  unreadableCalls: 'The server cannot read the model’s tool calls.',
  unknownTool: 'Calls a tool that does not exist.',
  wrongArgumentNames: 'Uses wrong argument names.',
  missingArgument: 'Omits a required argument.',
  wrongArgumentType: 'Gives an argument of the wrong type.',
  showsCallAsExample: 'Shows a tool call in a code block instead of making it.',
  duplicateCalls: 'Makes the same tool call twice in one answer.',
  oneCallPerTurn: 'Makes only one tool call per answer.',
  emptyAnswer: 'Gives an empty answer.',
  thinksOnly: 'Thinks, but gives no answer.',
  repeatsText: 'Repeats the same text.',
  repeatsCall: 'Repeats the same tool call.',
  neverStops: 'Does not stop when the task is done.',
  answersTooLong: 'Writes a longer answer than the exam allows.',
  tooSlow: 'Needs more than three minutes for a task.',
  serverError: 'The server reports an error.',
  asksBack: 'Asks a question instead of doing the task.',
  refuses: 'Refuses the task.',
  claimsWithoutWork: 'Claims work that it did not do.',
  answersWithCode: 'Shows code instead of editing the file.',
  doesNothing: 'Does nothing.',
  inventsContent: 'Invents the content of a file.',
  inventsMissing: 'Invents a value that is not in the file.',
  ignoresResult: 'Ignores the result of a tool.',
  losesLongFile: 'Loses track in a long file.',
  ignoresStop: 'Continues after being told to stop.',
  ignoresProhibition: 'Ignores a rule from the start of the chat.',
  leavesFolder: 'Uses a path outside the workspace.',
  runsOtherCommand: 'Runs a different command than requested.',
  skipsSearch: 'Edits without searching first.',
  skipsTest: 'Does not run the test.',
  skipsSecondTest: 'Does not run the test again after the fix.',
  changesTest: 'Changes the test instead of the code.',
  editsWrongFile: 'Changes a file that is not part of the task.',
  editsOneOfTwo: 'Edits only one of two files.',
  changesOtherLines: 'Changes other lines too.',
  leavesPlaceholder: 'Replaces code with a placeholder.',
  copiesInexactly: 'Does not copy lines exactly.',
  editDoesNotFit: 'Edits text that is not in the file.',
  patchDoesNotFit: 'Writes a patch that does not apply.',
  wrongEdit: 'Makes a wrong edit.',
  wrongQuotes: 'Changes quotation marks or line breaks.',
});

/** Effects of an exam on the defaults. */
export const changeTexts: Readonly<Record<ExamChange, string>> = translatable({
  printed: 'Tools are passed to the model in the prompt, because it makes no native tool calls.',
  schema: 'Invalid tool calls are immediately retried with a JSON schema, because many calls could not be run.',
  patchLast: 'apply_patch is offered last, because its patch failed.',
  replaceLast: 'replace_in_file is offered last, because its edits failed.',
  allTools: 'All tools are sent with each request, because the model failed to load one.',
  fewTools: 'Optional tools are left out, because the model failed the exam.',
  warning: 'Agent mode shows a warning, because the model failed the exam.',
});
