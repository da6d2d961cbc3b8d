import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { deleteFileTool } from '../../../../src/agent/tools/edit/deleteFile';
import { readFileTool } from '../../../../src/agent/tools/read/readFile';
import { assessCommand } from '../../../../src/services/terminal/judge/commandSafety';
import { setTexts } from '../../../../src/utils/l10n';
import { ToolBench } from '../support/toolBench';

const german = {
  '{0} lines': '{0} Zeilen',
  skipped: 'übersprungen',
  'may contain secrets': 'enthält vielleicht Geheimnisse',
  'There is no file {0}.': 'Es gibt keine Datei {0}.',
  'deletes files': 'löscht Dateien',
  'writes {0}': 'schreibt {0}',
  'runs another program': 'führt ein anderes Programm aus',
};

describe('Tools in another language', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    setTexts(german, 'de');
  });
  afterEach(async () => {
    setTexts({});
    await bench.stop();
  });

  it('tell the person in it, and the model in English', async () => {
    await writeFile(bench.file('a.txt'), 'alpha\nbeta\n'.repeat(1500));
    const result = await bench.run(readFileTool(bench.access, bench.editors), { path: 'a.txt' });
    assert.equal(result.content.startsWith('alpha\nbeta\n'), true);
    assert.match(result.content, /\[Lines 1 to \d+ of 3000\. To read on, call read_file/);
    await writeFile(bench.file('a.txt'), 'alpha\n'.repeat(3));
    assert.equal((await bench.run(readFileTool(bench.access, bench.editors), { path: 'a.txt' })).summary, '3 Zeilen');
  });

  it('ask in it, and tell the model in English why it was declined', async () => {
    await writeFile(bench.file('.env'), 'TOKEN=1');
    bench.isApproved = false;
    const { content, summary } = await bench.run(readFileTool(bench.access, bench.editors), { path: '.env' });
    assert.deepEqual(bench.questions, [{ kind: 'read', path: '.env', reasons: ['enthält vielleicht Geheimnisse'] }]);
    assert.match(content, /^The user declined to let you read this file \(may contain secrets\)\./);
    assert.equal(summary, 'übersprungen');
  });

  it('tell the model of a failure in English', async () => {
    const { content } = await bench.attempt(deleteFileTool(bench.editing), { path: 'gone.txt' });
    assert.equal(content, 'There is no file gone.txt.');
  });

  it('tell the user in their language why a file was not read', async () => {
    const { content, summary, display } = await bench.run(readFileTool(bench.access, bench.editors), { path: 'gone.txt' });
    assert.deepEqual(
      [content, summary, display],
      ['There is no file gone.txt.', ...Array<string>(2).fill('Es gibt keine Datei gone.txt.')],
    );
  });

  it('say what a command could do', async () => {
    assert.deepEqual((await assessCommand('rg --pre=x a > b && rm c')).reasons, [
      'führt ein anderes Programm aus',
      'löscht Dateien',
      'schreibt b',
    ]);
  });
});
