import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { format } from 'node:util';
import type { Logger } from '../../../src/utils/logger';
import { AgentBench } from './support/agentBench';

/** Records everything that is logged above `trace`. */
function recordingLogger(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const record = (...parts: unknown[]) => void lines.push(format(...parts));
  return { logger: { trace: () => undefined, debug: record, info: record, warn: record, error: record }, lines };
}

describe('The log', () => {
  it('never holds prompts, answers, file contents or command output, in a run that works and in runs that fail', async () => {
    const { logger, lines } = recordingLogger();
    const bench = await AgentBench.start({ logger });
    try {
      await writeFile(bench.file('plain.txt'), 'FILE-SECRET');
      bench.double.script.push(
        [{ call: { name: 'read_file', arguments: { path: 'plain.txt' } } }],
        [{ call: { name: 'create_file', arguments: { path: 'new.txt', content: 'CONTENT-SECRET' } } }],
        [{ call: { name: 'run_terminal_command', arguments: { command: 'echo COMMAND-$((1+1))-SECRET' } } }],
        'ANSWER-SECRET [TASK_COMPLETE]',
      );
      const sessionId = await bench.send('PROMPT-SECRET');
      const question = await bench.question(sessionId);
      await bench.controller.decideApproval(sessionId, question.data.approvalId, true);
      await bench.over(sessionId);

      bench.double.script.push(['BROKEN-SECRET', { raw: '{"message":{"content":"MALFORMED-SECRET"\n' }]);
      await bench.ask('PROMPT-SECRET two', { sessionId });
      bench.double.script.push(['CUT-SECRET', { error: 'the runner has stopped' }]);
      await bench.ask('PROMPT-SECRET three', { sessionId });
      bench.double.script.push({ refuse: { status: 400, message: 'no' } });
      await bench.ask('PROMPT-SECRET four', { sessionId });

      const shown = (await bench.seen(sessionId)).join('\n');
      assert.match(shown, /ANSWER-SECRET/);
      assert.notEqual(lines.length, 0);
      assert.deepEqual(
        lines.filter((line) => line.includes('SECRET')),
        [],
      );
    } finally {
      await bench.stop();
    }
  });
});
