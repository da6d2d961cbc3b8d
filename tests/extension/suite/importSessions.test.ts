import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import type { ImportReport } from '../../../src/services/import/importReport';
import { importReportText } from '../../../src/vscode/importReportText';
import { addEarlier, earlierSchema } from '../../unit/import/support/earlierDatabase';
import { claudeId, ClaudeTranscript } from '../../unit/import/support/importBench';

describe('Import Chats, in a real editor', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-import-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (): Thenable<ImportReport> =>
    vscode.commands.executeCommand<ImportReport>('ollamaCopilot.importSessions', vscode.Uri.file(folder));

  it('imports transcripts and databases once, and reports the lines that it could not take', async () => {
    const transcript = new ClaudeTranscript();
    transcript.user('Hello from elsewhere');
    transcript.text('Hello');
    writeFileSync(path.join(folder, `${claudeId}.jsonl`), `${transcript.toString()}{"torn":\n`);
    const database = openSqlite(path.join(folder, 'sessions.sqlite'));
    database.exec(earlierSchema);
    addEarlier(database);
    database.close();

    const report = await run();
    assert.deepEqual(report.failure, null);
    assert.deepEqual(
      report.sessions.map(({ id, outcome, added }) => [id, outcome, added]),
      [
        [claudeId, 'imported', 3],
        ['s1', 'imported', 8],
      ],
    );
    const text = importReportText(report);
    assert.match(text, /2 chats were imported, with 11 entries\./);
    assert.match(text, new RegExp(`${claudeId}\\.jsonl:3: not JSON`));
    assert.match(text, /- Hello from elsewhere: imported, 3 entries\. Claude Code, /);

    const again = await run();
    assert.deepEqual(
      again.sessions.map(({ outcome }) => outcome),
      ['unchanged', 'unchanged'],
    );
  });
});
