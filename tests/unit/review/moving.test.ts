import assert from 'node:assert/strict';
import { movedHunks, reviewHunks } from '../../../src/services/review/hunks';
import { changeBeside, positionAt } from '../../../src/services/review/reviewNavigator';
import type { TextChange } from '../../../src/services/review/reviewPorts';
import type { FileReviewState } from '../../../src/services/review/reviewTypes';
import { textChanges } from '../../../src/utils/text/textChanges';
import { Weave } from '../../../src/utils/text/weave/weave';
import { edited } from './support/edited';

const base = ['a', 'b', 'c', 'd', 'e', ''];
const left = ['a', 'x', 'c', 'y', 'z', 'd', ''];
const texts = { base, author: 'chat', weave: Weave.of(base).advanced('chat', left) };
const hunks = () => reviewHunks('/a.txt', texts, left, () => 1);
const insert = (line: number, character: number, text: string): TextChange => ({
  startLine: line,
  startCharacter: character,
  endLine: line,
  endCharacter: character,
  text,
});

describe('Hunks while somebody types', () => {
  for (const [title, change] of [
    ['a line before all', insert(0, 0, 'p\n')],
    ['a line right before a hunk', insert(1, 0, 'p\n')],
    ['a line right behind a hunk', insert(2, 0, 'p\n')],
    ['a line end at the end of the line before a hunk', insert(0, 1, '\np')],
    ['a line inside of a hunk', insert(4, 0, 'p\n')],
    ['a word', insert(2, 1, 'p')],
    ['a line at the very end', insert(6, 0, 'p\nq')],
    ['nothing in the place of a line', { startLine: 0, startCharacter: 0, endLine: 1, endCharacter: 0, text: '' }],
  ] as const) {
    it(`move with the text as they are found in it afterwards: ${title}`, () => {
      const now = edited(left, [change]);
      const places = (found: ReturnType<typeof hunks>) => found.map(({ id, range }) => [id, range]);
      assert.deepEqual(places(movedHunks(hunks(), [change])), places(reviewHunks('/a.txt', texts, now, () => 1)));
    });
  }

  it('are edits of an editor where they are undone', () => {
    for (const text of [left, left.slice(0, -1), ['x']]) {
      const { changes, undoEdits } = Weave.of(base).advanced('chat', text).standing('chat', text);
      assert.deepEqual(edited(text, textChanges(text, undoEdits(changes))), base);
    }
  });
});

describe('The way through changes', () => {
  const file = (path: string, found: FileReviewState['hunks']): FileReviewState => ({
    path,
    shown: path,
    status: 'modified',
    level: found.length > 0 ? 'hunks' : 'file',
    hunks: found,
    additions: 0,
    deletions: 0,
    turns: [1],
  });
  const files = [file('/a', hunks()), file('/b', []), file('/c', hunks().slice(0, 1))];
  const walk = (from: { path: string; line: number } | undefined, direction: 'next' | 'previous', steps: number): string[] => {
    const seen: string[] = [];
    for (let place = from; seen.length < steps;) {
      place = changeBeside(files, place, direction);
      seen.push(`${place?.path}:${place?.line}`);
    }
    return seen;
  };

  it('goes from file to file and around, forwards and backwards', () => {
    assert.deepEqual(walk(undefined, 'next', 6), ['/a:1', '/a:3', '/a:6', '/b:0', '/c:1', '/a:1']);
    assert.deepEqual(walk({ path: '/a', line: 4 }, 'previous', 4), ['/a:1', '/c:1', '/b:0', '/a:6']);
    assert.deepEqual(walk({ path: '/elsewhere', line: 4 }, 'next', 1), ['/a:1']);
    assert.equal(changeBeside([], { path: '/a', line: 1 }, 'next'), undefined);
  });

  it('says which change the cursor is at', () => {
    const at = (path: string, line: number) => {
      const { current, total, shown } = positionAt(files, { path, line });
      return `${current}/${total} ${shown}`;
    };
    assert.deepEqual(
      [at('/a', 1), at('/a', 4), at('/a', 0), at('/b', 9), at('/d', 1)],
      ['1/5 /a', '2/5 /a', '0/5 /a', '4/5 /b', '0/5 null'],
    );
  });
});
