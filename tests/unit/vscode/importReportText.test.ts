import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { ImportOutcome, ImportReport } from '../../../src/services/import/importReport';
import { importSummary } from '../../../src/vscode/importReportText';

function reportOf(outcomes: readonly ImportOutcome[], unknownFiles: string[] = []): ImportReport {
  const session = (outcome: ImportOutcome, index: number) => {
    return { format: 'exported' as const, place: 'all.json', id: String(index), title: 'Chat', outcome, added: 0 };
  };
  return {
    sessions: outcomes.map(session),
    issues: [],
    issueCount: 0,
    unlisted: 0,
    leftOut: [],
    unknownFiles,
    isCancelled: false,
    failure: null,
  };
}

describe('the summary of an import', () => {
  it('gives the reason for each chat that was not imported or updated', () => {
    assert.deepEqual(importSummary(reportOf(['ours', 'ours', 'failed', 'continued', 'differs', 'empty', 'unchanged'])), {
      text:
        '1 chat was already imported. 1 chat was not updated because you continued it here. ' +
        '1 chat was not updated because its beginning is different. ' +
        '2 chats were not imported because they are already in the history. ' +
        '1 chat was not imported because it contains no messages. ' +
        '1 chat was not imported because it could not be read.',
      isProblem: true,
    });
  });

  it('counts the files without chats', () => {
    const { text, isProblem } = importSummary(reportOf(['unchanged'], ['notes.json', 'a.jsonl']));
    assert.deepEqual([text, isProblem], ['1 chat was already imported. Files without chats: 2.', true]);
  });

  it('does not warn about an empty chat', () => {
    const { text, isProblem } = importSummary(reportOf(['empty']));
    assert.deepEqual([text, isProblem], ['1 chat was not imported because it contains no messages.', false]);
  });

  it('does not read as if the ID of a chat were its number', () => {
    assert.equal(importSummary(reportOf(['ours'])).text, '1 chat was not imported because it is already in the history.');
  });

  it('counts the updated chats', () => {
    assert.equal(importSummary(reportOf(['extended'])).text, '1 chat was updated.');
    assert.equal(
      importSummary(reportOf(['extended', 'extended', 'unchanged', 'unchanged'])).text,
      '2 chats were updated. 2 chats were already imported.',
    );
  });
});
