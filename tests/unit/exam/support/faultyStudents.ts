import type { ExamFaultName, ExamTaskName } from '../../../../src/types/exam';
import type { Scripted, Step } from '../../../support/ollama/doubleReply';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { call, replace, right, testCommand, type Turn } from './student';

/** Model that makes one mistake. `play` returns undefined if the model responds correctly. */
export interface FaultyStudent {
  fault: ExamFaultName;
  spec?: Partial<ModelSpec>;
  play: (turn: Turn) => Scripted | undefined;
  /** Additional faults that follow from the mistake. */
  also?: readonly ExamFaultName[];
}

/** Replaces the response in one task, either at one turn or at all of them. */
function inTask(task: ExamTaskName, at: number | 'always', play: (turn: Turn) => Scripted): FaultyStudent['play'] {
  return (turn) => (turn.task === task && (at === 'always' || turn.at === at) ? play(turn) : undefined);
}

function printed(name: string, input: string): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${input}}\n</tool_call>`;
}

function asText(step: Step): Step {
  return typeof step === 'object' && 'call' in step ? printed(step.call.name, JSON.stringify(step.call.arguments)) : step;
}

const greet = (newText: string, oldText = "const word = 'Hello';"): Step => replace('greet.js', oldText, newText);
const patched = (lines: string): Step =>
  call('apply_patch', { patch: `*** Begin Patch\n*** Update File: limit.py\n@@\n def limit():\n${lines}\n*** End Patch` });
const script = testCommand.split(' ').at(-1) ?? '';

const callFaults: FaultyStudent[] = [
  { fault: 'printsCalls', play: (turn) => right(turn).map(asText) },
  {
    fault: 'printsUnreadableCalls',
    play: inTask('quotes', 'always', () =>
      printed('create_file', '{"path": "quote.json", "content": "{"text": "She said "yes". Then she left."}"}'),
    ),
    also: ['printsCalls'],
  },
  {
    fault: 'unescapedLineBreaks',
    play: inTask('patch', 0, () => {
      const patch = '*** Begin Patch\n*** Update File: limit.py\n@@\n-    high = 10\n+    high = 20\n*** End Patch';
      return printed('apply_patch', `{"patch": "${patch}"}`);
    }),
    also: ['printsCalls'],
  },
  {
    fault: 'unreadableCalls',
    play: inTask('edit', 0, () => [
      { error: 'error parsing tool call: raw=\'{"path":\', err=unexpected end of JSON input', status: 500 },
    ]),
  },
  { fault: 'unknownTool', play: inTask('edit', 0, () => [call('modify_document', { path: 'greet.js', text: 'Goodbye' })]) },
  {
    fault: 'wrongArgumentNames',
    play: inTask('edit', 0, () => [call('replace_in_file', { document: 'greet.js', was: 'Hello', becomes: 'Goodbye' })]),
  },
  {
    fault: 'missingArgument',
    play: inTask('edit', 0, () => [call('replace_in_file', { path: 'greet.js', newText: 'Goodbye' })]),
  },
  { fault: 'wrongArgumentType', play: inTask('read', 0, () => [call('read_file', { path: ['notes.txt'] })]) },
  {
    fault: 'showsCallAsExample',
    play: inTask('read', 'always', (turn) => {
      const shown = 'You could read it like this:\n```json\n{"name": "read_file", "arguments": {"path": "notes.txt"}}\n```';
      const isTold = turn.request.messages.at(-1)?.content.includes('[Nothing was run') === true;
      return turn.at > 0 || isTold ? right(turn) : shown;
    }),
  },
  {
    fault: 'duplicateCalls',
    play: inTask('read', 0, (turn) => [...right(turn), ...right(turn)]),
  },
  {
    fault: 'oneCallPerTurn',
    play: ({ task, at }) => {
      if (task !== 'twoCalls') return undefined;
      const file = ['left.txt', 'right.txt'][at];
      return file === undefined ? '42 [TASK_COMPLETE]' : [call('read_file', { path: file })];
    },
  },
];

const flowFaults: FaultyStudent[] = [
  { fault: 'emptyAnswer', play: inTask('edit', 'always', () => ({ steps: [], metrics: { eval_count: 40 } })) },
  {
    fault: 'thinksOnly',
    spec: { capabilities: ['completion', 'tools', 'thinking'], thinking: { values: ['low', 'high'], default: 'low' } },
    play: inTask('edit', 'always', () => [{ thinking: 'The user wants a change. I could make it.' }]),
  },
  {
    fault: 'repeatsText',
    play: inTask('read', 0, () => Array.from({ length: 60 }, () => 'I will read the file notes.txt now. ')),
  },
  { fault: 'repeatsCall', play: inTask('read', 'always', () => [call('read_file', { path: 'notes.txt' })]) },
  {
    fault: 'neverStops',
    play: inTask('read', 'always', ({ at }) => [call('read_file', { path: at === 0 ? 'notes.txt' : `page${at}.txt` })]),
  },
  {
    fault: 'answersTooLong',
    play: inTask('read', 1, () => Array.from({ length: 200 }, (_, at) => `Line ${at} of ${at * 7} says something. `)),
    also: ['ignoresResult'],
  },
  {
    fault: 'tooSlow',
    play: inTask('edit', 0, () => [{ hold: new Promise(() => undefined) }]),
  },
  {
    fault: 'serverError',
    play: inTask('edit', 'always', () => [{ error: 'the grammar could not be read' }]),
  },
  { fault: 'asksBack', play: inTask('edit', 'always', () => 'Do you want me to change greet.js?') },
  { fault: 'refuses', play: inTask('edit', 'always', () => 'Sorry, I am not able to edit files.') },
  { fault: 'claimsWithoutWork', play: inTask('edit', 'always', () => 'I have updated greet.js.') },
  {
    fault: 'answersWithCode',
    play: inTask('edit', 'always', () => "Here it is:\n```js\nconst word = 'Goodbye';\n```\nThat is all."),
  },
  { fault: 'doesNothing', play: inTask('edit', 'always', () => 'Understood.') },
];

const contentFaults: FaultyStudent[] = [
  { fault: 'inventsContent', play: inTask('read', 0, () => 'The port is 8080. [TASK_COMPLETE]') },
  { fault: 'inventsMissing', play: inTask('unknown', 1, () => 'The port is 3000. [TASK_COMPLETE]') },
  { fault: 'ignoresResult', play: inTask('read', 1, () => '8080 [TASK_COMPLETE]') },
  { fault: 'losesLongFile', play: inTask('longFile', 1, () => '846 and 123 [TASK_COMPLETE]') },
  { fault: 'ignoresStop', play: inTask('stop', 0, () => [call('read_file', { path: 'b.txt' })]) },
  {
    fault: 'ignoresProhibition',
    play: inTask('prohibition', 0, (turn) => [...right(turn), replace('config.js', '8000', '9000')]),
  },
  { fault: 'leavesFolder', play: inTask('read', 0, () => [call('read_file', { path: '../../notes.txt' })]) },
  { fault: 'runsOtherCommand', play: inTask('test', 0, () => [call('run_terminal_command', { command: 'npm test' })]) },
  {
    fault: 'skipsSearch',
    play: ({ task, at }) =>
      task === 'search' ? (at === 0 ? [replace('server.js', 'Delay = 30;', 'Delay = 60;')] : 'Done.') : undefined,
  },
  {
    fault: 'skipsTest',
    play: ({ task, at }) => (task === 'test' ? (at === 0 ? [replace('sum.js', 'a - b', 'a + b')] : 'Done.') : undefined),
  },
  { fault: 'skipsSecondTest', play: inTask('test', 2, () => 'Fixed. [TASK_COMPLETE]') },
  {
    fault: 'changesTest',
    play: inTask('test', 1, () => [replace(script, 'FAIL', 'PASS'), replace('sum.js', 'a - b', 'a + b')]),
    also: ['skipsSecondTest'],
  },
];

const editFaults: FaultyStudent[] = [
  {
    fault: 'editsWrongFile',
    play: inTask('search', 1, (turn) => [...right(turn), replace('client.js', 'null', '60')]),
  },
  { fault: 'editsOneOfTwo', play: inTask('twoFiles', 0, (turn) => right(turn).slice(0, 1)) },
  {
    fault: 'changesOtherLines',
    play: inTask('patch', 0, () => [patched('-    low = 1\n-    high = 10\n+    low = 2\n+    high = 20')]),
  },
  {
    fault: 'leavesPlaceholder',
    play: inTask('patch', 0, () => [patched('     low = 1\n-    high = 10\n+    # ... rest of the function')]),
  },
  { fault: 'copiesInexactly', play: inTask('edit', 0, () => [greet("const word = 'Goodbye';", 'const word = ‘Hello’;')]) },
  { fault: 'editDoesNotFit', play: inTask('edit', 0, () => [greet("'Goodbye'", 'let greeting = askUser();')]) },
  { fault: 'patchDoesNotFit', play: inTask('patch', 0, () => [patched('-    total = compute(9)\n+    total = 20')]) },
  { fault: 'wrongEdit', play: inTask('edit', 0, () => [greet("const word = 'Bye';")]) },
  {
    fault: 'wrongQuotes',
    play: inTask('quotes', 0, () => [
      call('create_file', { path: 'quote.json', content: "{'text': 'She said \"yes\".\\nThen she left.'}\n" }),
    ]),
  },
];

export const faultyStudents: readonly FaultyStudent[] = [...callFaults, ...flowFaults, ...contentFaults, ...editFaults];
