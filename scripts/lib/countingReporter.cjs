const { appendFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** Mocha's usual report, and one line of JSON with the counts and the names of what failed in the file that `OLLAMA_COPILOT_COUNTS` names. */
module.exports = class CountingReporter extends (process.env.OLLAMA_COPILOT_BRIEF ? reporters.Dot : reporters.Spec) {
  constructor(runner, options) {
    super(runner, options);
    const names = [];
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test) => names.push(test.fullTitle()));
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const file = process.env.OLLAMA_COPILOT_COUNTS;
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      if (file) appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending, names })}\n`);
    });
  }
};
