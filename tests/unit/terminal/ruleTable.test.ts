import assert from 'node:assert/strict';
import { parseRules } from '../../../src/services/terminal/judge/rules/ruleTable';

describe('a table of severity rules', () => {
  it('gives each program its rows in order, and last what holds otherwise', () => {
    const table = `
// rm(1)
rm
rmdir = high deletesFiles
  critical deletesBroadly: -r <broad>
    or --no-preserve-root
  low: --help

// gh(1)
gh
  low: pr list
    |view or status
`;
    const remove = [
      { severity: 'critical', reason: 'deletesBroadly', patterns: ['-r <broad>', '--no-preserve-root'] },
      { severity: 'low', reason: null, patterns: ['--help'] },
      { severity: 'high', reason: 'deletesFiles', patterns: [''] },
    ];
    assert.deepEqual(parseRules(table), [
      ['rm', remove],
      ['rmdir', remove],
      ['gh', [{ severity: 'low', reason: null, patterns: ['pr list|view', 'status'] }]],
    ]);
  });

  for (const verdict of ['grave deletesFiles', 'high deletesFils', 'high toString'])
    it(`has no ${verdict}`, () => {
      assert.throws(() => parseRules(`// x(1)\nx = ${verdict}\n`), /No severity and reason/);
    });
});
