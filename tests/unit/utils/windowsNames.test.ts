import assert from 'node:assert/strict';
import { windowsNameProblem } from '../../../src/utils/files/windowsNames';

describe('names that mean something else on Windows', () => {
  const told = (names: readonly string[]): (string | null)[] => [...new Set(names.map(windowsNameProblem))];

  it('are those of data streams inside a file', () => {
    assert.deepEqual(told(['a.txt:stream', 'a.txt::$DATA', '.git::$INDEX_ALLOCATION', ':a', 'a:']), ['stream']);
  });

  it('are those of devices, with an ending or a blank too', () => {
    const devices = ['con', 'CON', 'prn.txt', 'aux.c', 'nul', 'nul.tar.gz', 'com1', 'com0', 'lpt9.log', 'com¹', 'LPT³.x'];
    assert.deepEqual(told([...devices, 'con .txt', 'conin$', 'CONOUT$']), ['device']);
  });

  it('are those that end in a dot or a blank, which Windows drops', () => {
    assert.deepEqual(told(['x.', 'x ', 'x. .', '...', '.git.', '.env ']), ['end']);
  });

  it('are those with characters that no file has there', () => {
    assert.deepEqual(told(['a?', 'a*b', 'a<b', 'a>b', 'a|b', 'a"b', 'a\u0001']), ['character']);
  });

  it('are no others', () => {
    const plain = [
      'con-fig',
      'console.ts',
      'icon',
      'auxiliary.c',
      'nullable.ts',
      'com10',
      'compose.yml',
      'lpt',
      'x.y',
      '.',
      '..',
    ];
    assert.deepEqual(told([...plain, '.env', 'a b', 'grün 🥛.txt', '...c', 'src', 'null', 'communication1']), [null]);
  });
});
