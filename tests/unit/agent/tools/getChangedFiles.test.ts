import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { getChangedFilesTool } from '../../../../src/agent/tools/read/getChangedFiles';
import type { SourceControlChange } from '../../../../src/agent/kernel/ports';
import { AgentBench } from '../support/agentBench';
import { ToolBench } from '../support/toolBench';

describe('get_changed_files', () => {
  it('names what git has not committed, and nothing outside the workspace', async () => {
    const bench = await ToolBench.start();
    const files: SourceControlChange[] = [
      { file: bench.file('b.ts'), status: 'modified' },
      { file: bench.file('a.ts'), status: 'deleted' },
      { file: bench.file('b.ts'), status: 'modified' },
      { file: '/elsewhere/c.ts', status: 'added' },
    ];
    const run = (changed: SourceControlChange[]) =>
      bench.run(
        getChangedFilesTool(bench.access, { changed: async () => changed }, async () => assert.fail()),
        {},
      );
    assert.deepEqual(await run(files), {
      status: 'success',
      content: 'Not committed yet:\ndeleted a.ts\nmodified b.ts',
      summary: '2 files',
    });
    assert.equal((await run([])).content, 'Nothing is changed since the last commit.');
    await bench.stop();
  });

  it('compares with the first checkpoint of the chat where git knows no repository, and says so', async () => {
    const bench = await AgentBench.start({
      hasCheckpoints: true,
      settings: { 'agent.loadTools': false },
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }],
    });
    await writeFile(bench.file('a.txt'), 'one\n');
    const edit = { call: { name: 'write_file', arguments: { path: 'a.txt', content: 'two\n' } } };
    bench.double.script.push([edit], [{ call: { name: 'get_changed_files', arguments: {} } }], 'Done.');
    const sessionId = await bench.ask('Do it');
    const { entries } = await bench.database.log.read(sessionId, 0);
    const result = entries.findLast(({ type }) => type === 'tool_result');
    assert.match(
      result?.content ?? '',
      /knows no repository here\. Changed since the first checkpoint of this chat:\nmodified a\.txt$/,
    );
    await bench.stop();
  });
});
