import assert from 'node:assert/strict';
import {
  commandCheckpointTitles,
  continuingCheckpointTitle,
  messageCheckpointTitle,
} from '../../../src/services/database/sessions/checkpointName';
import { shownTitle, shownWorkSession } from '../../../src/types/checkpointTitle';
import { setTexts, t } from '../../../src/utils/l10n';
import { readText } from '../package/manifest';

const german = JSON.parse(readText('l10n', 'bundle.l10n.de.json')) as Record<string, string>;

describe('the shown title of a checkpoint', () => {
  afterEach(() => setTexts({}));

  const command = commandCheckpointTitles('npm test');
  const unknown = commandCheckpointTitles(undefined);
  const titles: [stored: string, english: string, translated: string][] = [
    ['Initial state', 'Initial state', 'Ausgangszustand'],
    [messageCheckpointTitle('Add: tests'), 'Before message: Add: tests', 'Vor der Nachricht: Add: tests'],
    [messageCheckpointTitle(''), 'Before message: ', 'Vor der Nachricht: '],
    [continuingCheckpointTitle('Add tests'), 'Before continuing: Add tests', 'Vor dem Fortsetzen: Add tests'],
    [command.before, 'Before command: npm test', 'Vor dem Befehl: npm test'],
    [command.during, 'During command: npm test', 'Während des Befehls: npm test'],
    [command.after, 'After command: npm test', 'Nach dem Befehl: npm test'],
    [unknown.before, 'Before command', 'Vor einem Befehl'],
    [unknown.during, 'During command', 'Während eines Befehls'],
    [unknown.after, 'After command', 'Nach einem Befehl'],
    ['Restored: Initial state', 'Restored: Initial state', 'Wiederhergestellt: Ausgangszustand'],
    [
      `Before restoring: ${messageCheckpointTitle('Add tests')}`,
      'Before restoring: Before message: Add tests',
      'Vor dem Wiederherstellen: Vor der Nachricht: Add tests',
    ],
    [
      `Before restoring: Restored: Before restoring: ${messageCheckpointTitle('Add tests')}`,
      'Before restoring: Before message: Add tests',
      'Vor dem Wiederherstellen: Vor der Nachricht: Add tests',
    ],
    ['Approved: session_1', 'Approved state', 'Genehmigter Stand'],
    ['Before restoring: Approved: session_1', 'Before restoring: Approved state', 'Vor dem Wiederherstellen: Genehmigter Stand'],
    ['Approved: by Anna', 'Approved: by Anna', 'Approved: by Anna'],
    ['Release: 1.0', 'Release: 1.0', 'Release: 1.0'],
    ['constructor', 'constructor', 'constructor'],
  ];
  for (const [stored, english, translated] of titles) {
    it(`is in the display language for ${stored}`, () => {
      assert.equal(shownTitle(stored, t), english);
      setTexts(german, 'de');
      assert.equal(shownTitle(stored, t), translated);
    });
  }

  it('has the number of its work session', () => {
    assert.equal(shownWorkSession('session_2', t), 'Work session 2');
    setTexts(german, 'de');
    assert.equal(shownWorkSession('session_2', t), 'Arbeitssitzung 2');
  });
});
