import assert from 'node:assert/strict';
import { applyHunks } from '../../../../../src/agent/tools/edit/patchPlaces';
import { parsePatch } from '../../../../../src/agent/tools/edit/patchText';
import { replaceText } from '../../../../../src/agent/tools/edit/textReplacement';

/** Returns the new text, or the line numbers if there are several places. */
function replaced(text: string, oldText: string, newText: string, isAll = false): string | number[] {
  const result = replaceText(text, oldText, newText, isAll);
  if ('text' in result) return result.text;
  assert.equal(result.found.kind, 'several');
  return result.found.kind === 'several' ? result.found.lines : [];
}

describe('edits of text whose places overlap', () => {
  const ambiguous: [string, string, string, number[]][] = [
    ['characters of one line', 'aaa\n', 'aa', [1, 1]],
    ['two of three equal lines', 'ping\nping\nping\n', 'ping\nping\n', [1, 2]],
    ['two of three equal lines without the last line end', 'ping\nping\nping\n', 'ping\nping', [1, 2]],
    ['two of three equal lines with CRLF', 'ping\r\nping\r\nping\r\n', 'ping\nping\n', [1, 2]],
    ['two of three line ends', 'a\n\n\nb\n', '\n\n', [1, 2]],
    ['lines that repeat in turn', '{\n}\n{\n}\n{\n}\n', '{\n}\n{\n}\n', [1, 3]],
    ['lines with other indentation', '\tping;\n\tping;\n\tping;\n', '  ping;\n  ping;\n', [1, 2]],
    ['lines with other quotes', 'say("a");\nsay("a");\nsay("a");\n', 'say(“a”);\nsay(“a”);', [1, 2]],
    ['a part of a line with other dashes', 'x = a - a - a\n', 'a – a', [1, 1]],
    ['text below other lines', 'x\n\naaa\nb\naaa\n', 'aa', [3, 3, 5, 5]],
  ];
  for (const [name, text, oldText, lines] of ambiguous) {
    it(`are refused as ambiguous: ${name}`, () => assert.deepEqual(replaced(text, oldText, 'b'), lines));
  }

  it('replace each place once, from the top, if all places are requested', () => {
    assert.equal(replaced('aaaaa\n', 'aa', 'b', true), 'bba\n');
    assert.equal(replaced('\tping;\n\tping;\n\tping;\n', 'ping;\nping;', 'pong;', true), '\tpong;\n\tping;\n');
  });

  it('are refused in a patch without line numbers or an anchor', () => {
    const patch = ['*** Begin Patch', '*** Update File: a', '@@', '-ping', '-ping', '+pong', '*** End Patch'].join('\n');
    const [file] = parsePatch(patch);
    assert.ok(file?.kind === 'modify');
    const result = applyHunks('ping\nping\nping\n', file.hunks);
    assert.match('problem' in result ? result.problem.english : '', /2 times, at lines 1, 2\./);
  });
});
