import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { ImportOutcome, ImportReport } from '../../../src/services/import/importReport';
import { importSummary } from '../../../src/vscode/importReportText';

function reportOf(outcomes: readonly ImportOutcome[], unknownFiles: string[] = []): ImportReport {
  const session = (outcome: ImportOutcome, index: number) => {
    return { format: 'exported' as const, place: 'all.json', id: String(index), title: 'Chat', outcome, added: 0 };
  };
  return {
    ...{ sessions: outcomes.map(session), issues: [], issueCount: 0, unlisted: 0, leftOut: [], unknownFiles },
    ...{ isCancelled: false, failure: null },
  };
}

describe('the summary of an import', () => {
  it('gives the reason for each chat that was not imported or updated', () => {
    assert.deepEqual(importSummary(reportOf(['ours', 'ours', 'failed', 'continued', 'differs', 'empty', 'unchanged'])), {
      text:
        'Already imported: 1. Not updated, because you continued the chat here: 1. ' +
        'Not updated, because the beginning of the chat is different: 1. ' +
        'Not imported, because another chat has the same ID: 2. ' +
        'Not imported, because the chat contains no messages: 1. ' +
        'Not imported, because the chat could not be read: 1.',
      isProblem: true,
    });
  });

  it('counts the files without chats', () => {
    const { text, isProblem } = importSummary(reportOf(['unchanged'], ['notes.json', 'a.jsonl']));
    assert.deepEqual([text, isProblem], ['Already imported: 1. Files without chats: 2.', true]);
  });

  it('does not warn about an empty chat', () => {
    const { text, isProblem } = importSummary(reportOf(['empty']));
    assert.deepEqual([text, isProblem], ['Not imported, because the chat contains no messages: 1.', false]);
  });
});
