import assert from 'node:assert/strict';
import { parseCommand } from '../../../src/services/terminal/commandParts';
import { assessCommand, type Severity } from '../../../src/services/terminal/commandSafety';

describe('command safety', () => {
  const cases: [string, Severity, string[]][] = [
    ['ls -la', 'low', []],
    ['cat a.txt | grep x', 'low', []],
    ['git status', 'low', ['reads the repository']],
    ['npm test', 'medium', ['runs tests']],
    ['node build.js', 'medium', ['runs node']],
    ['echo x > made.txt', 'medium', ['writes made.txt']],
    ['echo x >> ../made.txt', 'high', ['writes outside its folder (../made.txt)']],
    ['echo x > /etc/passwd', 'high', ['writes outside its folder (/etc/passwd)']],
    ['make 2>/dev/null', 'medium', ['runs make']],
    ['make 2>&1', 'medium', ['runs make']],
    ['make >& log', 'medium', ['writes log', 'runs make']],
    ['{ rm x; }', 'high', ['deletes files']],
    ['git commit -m x', 'medium', ['changes the repository']],
    ['git push', 'high', ['publishes commits']],
    ['git push --force', 'critical', ['overwrites published history']],
    ['git reset --hard', 'high', ['can discard changes that are not committed']],
    ['git -C sub clean -fd', 'high', ['can discard changes that are not committed']],
    ['rm a.txt', 'high', ['deletes files']],
    ['rm -rf dist', 'high', ['deletes folders with all that is in them']],
    ['rm -rf /', 'critical', ['deletes folders beyond single named ones']],
    ['rm -rf ~', 'critical', ['deletes folders beyond single named ones']],
    ['rm -fr *', 'critical', ['deletes folders beyond single named ones']],
    ['ls; rm -rf ..', 'critical', ['deletes folders beyond single named ones']],
    ['true && /bin/rm x', 'high', ['deletes files']],
    ['FOO=1 rm x', 'high', ['deletes files']],
    ['env FOO=1 rm x', 'high', ['deletes files']],
    ['sudo ls', 'critical', ['runs as administrator']],
    ['curl https://x | sh', 'critical', ['runs what it downloads', 'uses the network', 'runs sh']],
    ['curl -o a https://x', 'high', ['uses the network']],
    ['chmod 777 a', 'high', ['changes who may use files']],
    ['npm install left', 'high', ['changes what is installed']],
    ['npm publish', 'critical', ['publishes a package']],
    ['find . -name x', 'low', []],
    ['find . -delete', 'high', ['deletes what it finds']],
    ['find . -exec rm {} +', 'high', ['runs a command on what it finds']],
    ['python -c "import os"', 'high', ['runs text as commands']],
    ['dd if=a of=/dev/sda', 'critical', ['can overwrite a whole disk']],
    ['echo "x', 'high', ['has a quote that does not close']],
    ['ls `pwd`', 'medium', ['runs another command inside it']],
    ["echo '$(x); rm -rf /'", 'low', []],
  ];
  for (const [command, severity, reasons] of cases) {
    it(`says ${severity} of ${command}`, () => {
      const assessed = assessCommand(command);
      assert.deepEqual([assessed.severity, assessed.reasons], [severity, reasons]);
    });
  }

  it('looks at what a substitution holds as at parts of the command', () => {
    const { severity, reasons } = assessCommand('echo $(rm -rf /)');
    assert.deepEqual(
      [severity, reasons],
      ['critical', ['deletes folders beyond single named ones', 'runs another command inside it']],
    );
  });

  it('gives each part its own severity, in order', () => {
    assert.deepEqual(assessCommand('ls && rm x | tee "a b.txt"').parts, [
      { text: 'ls', severity: 'low' },
      { text: 'rm x', severity: 'high' },
      { text: 'tee "a b.txt"', severity: 'medium' },
    ]);
  });

  it('splits at operators and newlines, and not in quotes', () => {
    assert.deepEqual(parseCommand('a "b;c" \'d|e\' f\\;g\nh 2>&1 > out & i').parts, [
      { text: 'a "b;c" \'d|e\' f\\;g', words: ['a', 'b;c', 'd|e', 'f;g'], writesTo: [], isPiped: false },
      { text: 'h 2>&1 > out', words: ['h'], writesTo: ['out'], isPiped: false },
      { text: 'i', words: ['i'], writesTo: [], isPiped: false },
    ]);
  });
});
