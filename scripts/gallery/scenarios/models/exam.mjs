import { german, models, ready, scenario } from '../base.mjs';
import { settingsPage } from '../settings.mjs';

const names = 'read edit twoFiles patch search test unknown stop prohibition longFile quotes twoCalls'.split(' ');

/** Exam with the given faults per task. `failed` lists the tasks that did not pass. */
const examOf = (faults, { failed = [], wrong = [], bad = [], count = 12 } = {}) => ({
  version: 1,
  tasks: names.slice(0, count).map((task) => ({
    task,
    isPassed: !failed.includes(task),
    hasGoodCalls: !bad.includes(task),
    hasRightFiles: !wrong.includes(task),
    hasLoop: false,
    faults: faults[task] ?? [],
    calls: { native: 2, printed: 0, repaired: 0 },
    form: 'native',
    promptTokens: 600,
    answerTokens: 93,
    answerMs: 3000,
  })),
  window: 16384,
  finishedAt: count === 12 ? Date.UTC(2026, 2, 14) : null,
});

const good = examOf(
  {
    twoCalls: [{ fault: 'oneCallPerTurn', evidence: 'read_file {"path":"left.txt"}' }],
    edit: [{ fault: 'copiesInexactly', evidence: 'replace_in_file {"path":"greet.js","oldText":"const word = ‘Hello’;"}' }],
  },
  { failed: ['twoCalls'] },
);
const weak = examOf(
  {
    edit: [{ fault: 'claimsWithoutWork', evidence: 'I have updated greet.js. It says Goodbye now.' }],
    twoFiles: [{ fault: 'editsOneOfTwo', evidence: 'main.js is unchanged' }],
    patch: [
      {
        fault: 'printsCalls',
        evidence: '<tool_call>{"name": "apply_patch", "arguments": {"patch": "*** Begin Patch"}}</tool_call>',
      },
      { fault: 'patchDoesNotFit', evidence: 'apply_patch {"patch":"*** Begin Patch\\n*** Update File: limit.py"}' },
    ],
    quotes: [{ fault: 'wrongQuotes', evidence: "quote.json:\n{'text': 'She said yes.'}" }],
    prohibition: [
      { fault: 'ignoresProhibition', evidence: 'replace_in_file {"path":"config.js","oldText":"8000","newText":"9000"}' },
    ],
  },
  {
    failed: ['edit', 'twoFiles', 'patch', 'quotes', 'prohibition'],
    wrong: ['edit', 'twoFiles', 'patch', 'quotes', 'prohibition'],
    bad: ['patch', 'edit', 'test', 'read', 'search'],
  },
);
const changes = { 'llama3.2:3b': ['patchLast', 'fewTools', 'warning'] };
const exams = { 'qwen3:14b': good, 'llama3.2:3b': weak, 'gemma3:12b': examOf({}, { count: 5 }) };
const examined = {
  ...models,
  models: models.models.map((model) => ({
    ...model,
    ...(exams[model.name] && { exam: exams[model.name], examChanges: changes[model.name] ?? [] }),
  })),
};

export const examScenarios = {
  'exam-results': settingsPage(['tab Models', 'click Exam for llama3.2:3b: tasks with errors: 5'], {
    ready: { ...ready, models: examined },
  }),
  'exam-running': settingsPage(['tab Models'], {
    ready: { ...ready, models: { ...examined, exam: { model: 'gemma3:12b', state: 'running', done: 5, of: 12 } } },
  }),
  'exam-failed': settingsPage(['tab Models'], {
    ready: {
      ...ready,
      models: {
        ...examined,
        exam: {
          model: 'gemma3:12b',
          state: 'failed',
          done: 5,
          of: 12,
          message: 'Ollama does not respond at http://localhost:11434.',
        },
      },
    },
  }),
  'exam-german': settingsPage(['tab Modelle', 'click Prüfung von llama3.2:3b: Aufgaben mit Fehlern: 5'], {
    ready: { ...ready, l10n: german, models: examined },
  }),
  'exam-picker': {
    ...scenario({ ready: { ...ready, models: { ...examined, selected: { ...models.selected, agent: 'llama3.2:3b' } } } }),
    do: ['click Model: llama3.2:3b'],
  },
  'exam-warning': scenario({
    ready: { ...ready, models: { ...examined, selected: { ...models.selected, agent: 'llama3.2:3b' } } },
  }),
  'exam-warning-german': scenario({
    ready: { ...ready, l10n: german, models: { ...examined, selected: { ...models.selected, agent: 'llama3.2:3b' } } },
  }),
};
