const { appendFileSync } = require('node:fs');
const { Runner } = require('mocha');

/**
 * Mocha reporter that appends a line of JSON at the start and the end of each test to the file that `OLLAMA_COPILOT_RESULTS` names. Writes
 * immediately, so that the record is complete even if the process dies.
 */
module.exports = class RecordReporter {
  constructor(runner) {
    const record = (state, test, error) => {
      const line = { state, file: fileOf(test), title: test.fullTitle() };
      if (error) line.error = String(error.stack ?? error).slice(0, 4000);
      appendFileSync(process.env.OLLAMA_COPILOT_RESULTS, `${JSON.stringify(line)}\n`);
    };
    runner.on(Runner.constants.EVENT_HOOK_BEGIN, (hook) => record('begun', hook));
    runner.on(Runner.constants.EVENT_TEST_BEGIN, (test) => record('begun', test));
    runner.on(Runner.constants.EVENT_TEST_PASS, (test) => record('passed', test));
    runner.on(Runner.constants.EVENT_TEST_PENDING, (test) => record('skipped', test));
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => record('failed', test, error));
  }
};

/** Returns the compiled file relative to the repository, with slashes. */
function fileOf({ file = '' }) {
  return file.replaceAll('\\', '/').replace(/^.*?(?=out\/tests\/)/, '');
}
