const { appendFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** Mocha's usual report, and a line of JSON for each file of tests in the file that `OLLAMA_COPILOT_COUNTS` names: see `counts.mjs`. */
module.exports = class CountingReporter extends (process.env.OLLAMA_COPILOT_BRIEF ? reporters.Dot : reporters.Spec) {
  constructor(runner, options) {
    super(runner, options);
    const files = new Map();
    const countsOf = ({ file = '' }) => {
      if (!files.has(file)) files.set(file, { file, passed: 0, failed: 0, skipped: 0, names: [] });
      return files.get(file);
    };
    runner.on(Runner.constants.EVENT_TEST_PASS, (test) => countsOf(test).passed++);
    runner.on(Runner.constants.EVENT_TEST_PENDING, (test) => countsOf(test).skipped++);
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test) => {
      countsOf(test).failed++;
      countsOf(test).names.push(test.fullTitle());
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const record = process.env.OLLAMA_COPILOT_COUNTS;
      if (record) for (const counts of files.values()) appendFileSync(record, `${JSON.stringify(counts)}\n`);
    });
  }
};
