const { appendFileSync, readFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** Number of slowest cases to record per file, enough to find the slowest of the whole run. */
const slowest = 30;

/** Mocha's usual reporter, which also writes a line of JSON per test file to the file in `OLLAMA_COPILOT_COUNTS`. See `counts.mjs`. */
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

/** Returns the CPU time of this process and its ended children, or 0 if the system does not report it. */
function cpuMsSoFar() {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    const times = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return times.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
  } catch {
    return 0;
  }
}
