const { appendFileSync, readFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** Of the cases of a file as many are recorded as can be among the slowest of all. */
const slowest = 30;

/** Mocha's usual report, and a line of JSON for each file of tests in the file that `OLLAMA_COPILOT_COUNTS` names: see `counts.mjs`. */
module.exports = class CountingReporter extends (process.env.OLLAMA_COPILOT_BRIEF ? reporters.Dot : reporters.Spec) {
  constructor(runner, options) {
    super(runner, options);
    const files = new Map();
    const countsOf = ({ file = '' }) => {
      if (!files.has(file)) files.set(file, { file, passed: 0, failed: 0, skipped: 0, names: [], ms: 0, cpuMs: 0, cases: [] });
      return files.get(file);
    };
    runner.on(Runner.constants.EVENT_TEST_PASS, (test) => countsOf(test).passed++);
    runner.on(Runner.constants.EVENT_TEST_PENDING, (test) => countsOf(test).skipped++);
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test) => {
      countsOf(test).failed++;
      countsOf(test).names.push(test.fullTitle());
    });
    let before = cpuMsSoFar();
    const addTime = (runnable, title) => {
      const counts = countsOf(runnable);
      const now = cpuMsSoFar();
      counts.ms += runnable.duration ?? 0;
      counts.cpuMs += now - before;
      before = now;
      if (title) counts.cases.push({ title, ms: runnable.duration ?? 0 });
    };
    runner.on(Runner.constants.EVENT_HOOK_END, (hook) => addTime(hook));
    runner.on(Runner.constants.EVENT_TEST_END, (test) => addTime(test, test.fullTitle()));
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const record = process.env.OLLAMA_COPILOT_COUNTS;
      if (!record) return;
      for (const counts of files.values()) {
        const cases = counts.cases.sort((one, other) => other.ms - one.ms).slice(0, slowest);
        appendFileSync(record, `${JSON.stringify({ ...counts, cases })}\n`);
      }
    });
  }
};

/** Returns the processor time of this process and of its ended children; 0 where the system does not tell. */
function cpuMsSoFar() {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    const times = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return times.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
  } catch {
    return 0;
  }
}
