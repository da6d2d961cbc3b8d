import assert from 'node:assert/strict';
import type { ModelExam } from '../../../src/types/exam';
import { examVerdict } from '../../../src/types/examVerdict';
import { RealServer } from '../../support/ollama/realServer';
import { rounds } from '../../support/rounds';
import { ExamBench } from '../../unit/exam/support/examBench';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');
const { baseUrl } = server;
/** Number of exam runs. One takes a minute or more on a busy machine. With `ROUNDS=3` there are six. */
const runs = rounds(2);

describe('The model exam on a real Ollama', function () {
  // A tiny model on a busy machine can take a minute to read its first prompt.
  this.timeout(900_000);
  let bench: ExamBench;
  beforeEach(async () => (bench = await ExamBench.start([], baseUrl)));
  afterEach(() => bench.stop());

  for (const model of ['oc-tools:latest', 'oc-chat:latest']) {
    it(`gives ${model} the same verdict in ${runs} of ${runs} runs`, async () => {
      const results: unknown[] = [];
      for (let round = 1; round <= runs; round += 1) {
        const exam = await bench.examine(model);
        assert.ok(exam.tasks.reduce((all, { answerTokens }) => all + answerTokens, 0) <= 2500);
        results.push(resultOf(exam));
      }
      for (const result of results) assert.deepEqual(result, results[0]);
    });
  }
});

/** Returns all conclusions of the exam. The text of a model can differ, because the cache of the server changes its rounding. */
function resultOf(exam: ModelExam): unknown {
  const tasks = exam.tasks.map(({ task, isPassed, faults }) => [task, isPassed, faults.map(({ fault }) => fault)]);
  return { verdict: { ...examVerdict(exam), tokensPerSecond: null }, tasks };
}
