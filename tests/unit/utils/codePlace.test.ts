import assert from 'node:assert/strict';
import { findCodePlace, pathNamedIn } from '../../../src/utils/text/codePlace';

const file = [
  "import { a } from './a';",
  '',
  'export class Money {',
  '  constructor(readonly cents: number) {}',
  '',
  '  plus(other: Money): Money {',
  '    if (other.cents === 0) {',
  '      return this;',
  '    }',
  '    return new Money(this.cents + other.cents);',
  '  }',
  '',
  '  minus(other: Money): Money {',
  '    return new Money(this.cents - other.cents);',
  '  }',
  '}',
  '',
];

/** Returns the file with the code in its place, or null if no place is certain. */
function applied(code: string, to: readonly string[] = file): string[] | null {
  const place = findCodePlace(to, code);
  return place && [...to.slice(0, place.from), ...place.lines, ...to.slice(place.to)];
}

describe('The place of a block of code in a file', () => {
  it('is from the head of a definition to its end, at the depth that it has there', () => {
    const code = 'plus(other: Money): Money {\n  return sum(this, other);\n}\n';
    const method = ['  plus(other: Money): Money {', '    return sum(this, other);', '  }'];
    assert.deepEqual(applied(code), [...file.slice(0, 5), ...method, ...file.slice(11)]);
    assert.deepEqual(applied(`\n  ${code.replaceAll('\n', '\n  ')}`), [...file.slice(0, 5), ...method, ...file.slice(11)]);
  });

  it('is the whole file where the block begins and ends as it does and has most of it', () => {
    const whole = file.filter((line) => !line.includes('constructor'));
    assert.deepEqual(applied(whole.join('\n')), whole);
    assert.deepEqual(applied('one\ntwo', ['']), ['one', 'two', '']);
  });

  it('is the function of the same name where its parameters changed', () => {
    const script = ['function add(a, b) {', '  return a + b;', '}', '', 'add(1, 2);', ''];
    const code = 'async function add(a, b = 0) {\n  return (a ?? 0) + b;\n}';
    assert.deepEqual(applied(code, script), [...code.split('\n'), ...script.slice(3)]);
    assert.equal(findCodePlace([...script, ...script], code), null);
    assert.equal(findCodePlace(script, code.replace('add', 'plus')), null);
  });

  it('ends with the indentation of a Python function, whatever its last line is', () => {
    const script = [
      'class Sum:',
      '    def add(self, a, b):',
      '        if a == b:',
      '',
      '            return 2 * a',
      '        return a + b',
    ];
    const code = 'def add(self, a, b):\n    return (a or 0) + (b or 0)\n';
    const method = ['    def add(self, a, b):', '        return (a or 0) + (b or 0)'];
    for (const rest of [[], ['', '    def next(self):', '        return 1'], ['', 'print(1)', '']])
      assert.deepEqual(applied(code, [...script, ...rest]), ['class Sum:', ...method, ...rest]);
  });

  it('is none where lines are left out, where its head is not there once, or where nothing is like its end', () => {
    const short = [...file.slice(0, 5), '  // ... the rest', '}'].join('\n');
    assert.equal(findCodePlace(file, short), null);
    for (const line of ['# … as before', '/* existing code */', '// rest of the file is unchanged', '...'])
      assert.equal(findCodePlace(file, `minus(other: Money): Money {\n${line}\n}`), null, line);
    assert.notEqual(findCodePlace(file, 'minus(other: Money): Money {\n// the other one is taken off\n}'), null);
    assert.equal(findCodePlace(file, 'times(factor: number): Money {\n}'), null);
    assert.equal(findCodePlace([...file, ...file], 'plus(other: Money): Money {\n}'), null);
    assert.equal(findCodePlace(file, 'plus(other: Money): Money {\n  return 1;\n};'), null);
    assert.equal(findCodePlace(file, '\n \n'), null);
  });

  it('leaves out a comment that only names the file', () => {
    const code = '// src/money.ts\nminus(other: Money): Money {\n  return zero;\n}';
    assert.equal(pathNamedIn(code), 'src/money.ts');
    assert.equal(applied(code)?.includes('// src/money.ts'), false);
    for (const line of ['# see a.py for more', '// nothing', 'x', '']) assert.equal(pathNamedIn(line), null);
  });
});
