import assert from 'node:assert/strict';
import { examFaultNames, examTaskNames, type ExamFaultName, type ExamTaskName, type ModelExam } from '../../../src/types/exam';
import { systemClock, type Clock } from '../../../src/utils/clock';
import type { GenerationRequest } from '../../support/ollama/doubleReply';
import { ExamBench } from './support/examBench';
import { faultyStudents, type FaultyStudent } from './support/faultyStudents';
import { right, turnOf } from './support/student';
import { patientClock } from '../../support/patientClock';

const nameOf = ({ fault }: FaultyStudent): string => fault.toLowerCase();

function specOf(student: FaultyStudent) {
  const usual = { name: nameOf(student), capabilities: ['completion', 'tools'] as const, path: 'native' as const };
  return { ...usual, ...student.spec };
}

function faultsOf({ tasks }: ModelExam): ExamFaultName[] {
  return [...new Set(tasks.flatMap(({ faults }) => faults.map(({ fault }) => fault)))].sort();
}

describe('faults that the model exam names', () => {
  let bench: ExamBench;
  before(async () => {
    bench = await ExamBench.start([
      { name: 'good', capabilities: ['completion', 'tools'], path: 'native' },
      ...faultyStudents.map(specOf),
    ]);
  });
  after(() => bench.stop());

  it('has a scripted model for each fault', () => {
    assert.deepEqual(faultyStudents.map(({ fault }) => fault).sort(), [...examFaultNames].sort());
  });

  it('finds no fault in a model that does everything right', async () => {
    bench.double.onChat((request) => right(turnOf(request)));
    const exam = await bench.examine('good');
    assert.deepEqual(faultsOf(exam), []);
    assert.ok(
      exam.tasks.every(
        ({ isPassed, hasGoodCalls, hasRightFiles, hasLoop }) => isPassed && hasGoodCalls && hasRightFiles && !hasLoop,
      ),
    );
  });

  for (const student of faultyStudents) {
    it(`names ${student.fault}`, async () => {
      bench.double.onChat((request) => student.play(turnOf(request)) ?? right(turnOf(request)));
      const clock = student.fault === 'tooSlow' ? impatient(bench) : patientClock;
      const exam = await bench.examine(nameOf(student), { clock, only: tasksOf(student) });
      assert.deepEqual(faultsOf(exam), [student.fault, ...(student.also ?? [])].sort());
      const named = exam.tasks.flatMap(({ faults }) => faults).filter(({ fault }) => fault === student.fault);
      assert.ok(
        named.every(({ evidence }) => evidence.length <= 301),
        'the evidence is short',
      );
    });
  }
});

/** Returns the tasks in which the model makes a mistake. */
function tasksOf({ play }: FaultyStudent): ExamTaskName[] {
  const request: GenerationRequest = {
    kind: 'chat',
    model: '',
    messages: [],
    tools: [],
    prompt: '',
    suffix: '',
    think: false,
    options: {},
    body: {},
  };
  return examTaskNames.filter((task) => [0, 1, 2, 3].some((at) => play({ task, at, results: [], request }) !== undefined));
}

/** Clock that ends the time for the slow task as soon as a request of that task was sent. */
function impatient(bench: ExamBench): Clock {
  return {
    now: () => systemClock.now(),
    sleep: async (ms, signal) => {
      if (ms < 100_000) return systemClock.sleep(ms, signal);
      const isSlow = () => bench.double.requestsTo('/api/chat').some(({ body }) => JSON.stringify(body).includes('greet.js'));
      const before = bench.double.requests.length;
      await bench.double.until(() => signal?.aborted === true || (bench.double.requests.length > before && isSlow()));
    },
  };
}
