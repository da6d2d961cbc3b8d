import assert from 'node:assert/strict';
import { rounds } from '../../../support/rounds';
import { runAttempt } from './support/escapes/arena';
import { fileEscapes } from './support/escapes/files';
import { gitEscapes } from './support/escapes/git';
import { processEscapes } from './support/escapes/processes';

// bubblewrap exists on Linux only. `npm run test:fuzz -- sandbox` also runs the slow attempts.
if (process.platform === 'linux') {
  describe('Attempts to leave the sandbox change nothing outside, and reach nothing: by', () => {
    for (const attempt of [...fileEscapes, ...gitEscapes, ...processEscapes].filter(
      ({ isSlow }) => isSlow !== true || rounds(1) > 1,
    )) {
      it(attempt.name, async () => {
        const { problems, runs } = await runAttempt(attempt);
        assert.deepEqual(problems, [], runs.map(({ output }) => output.slice(-2000)).join('\n---\n'));
      });
    }
  });
}
