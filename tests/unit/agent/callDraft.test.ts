import assert from 'node:assert/strict';
import { readDraft } from '../../../src/agent/stream/callDraft';

describe('the draft of an edit that is being written', () => {
  const drafts: [string, string, ReturnType<typeof readDraft>][] = [
    ['nothing before there is a line', '{"name":"write_file","arguments":{"path":"a.ts"', null],
    [
      'a file that grows',
      '{"name":"write_file","arguments":{"path":"a.ts","content":"one\\ntw',
      { path: 'a.ts', lines: ['+one', '+tw'], additions: 2, deletions: 0 },
    ],
    [
      'a replacement, in lines that go and lines that come',
      '{"path":"a.ts","oldText":"x\\ny\\n","newText":"z',
      { path: 'a.ts', lines: ['-x', '-y', '+z'], additions: 1, deletions: 2 },
    ],
    ['a name that comes later', '{"content":"a","path":"b.t', { path: null, lines: ['+a'], additions: 1, deletions: 0 }],
    ['half an escape', '{"content":"a\\', { path: null, lines: ['+a'], additions: 1, deletions: 0 }],
    ['half a character', '{"content":"a\\u00', { path: null, lines: ['+a'], additions: 1, deletions: 0 }],
    ['a backslash at the end', '{"content":"a\\\\', { path: null, lines: ['+a\\'], additions: 1, deletions: 0 }],
    ['quotes inside', '{"content":"say \\"hi\\"","path":"a"}', { path: 'a', lines: ['+say "hi"'], additions: 1, deletions: 0 }],
    ['line ends as they are', '{"content":"a\nb', { path: null, lines: ['+a', '+b'], additions: 2, deletions: 0 }],
    [
      'XML',
      '<function=replace_in_file><parameter=path>\na.ts\n</parameter><parameter=oldText>\nx\n</parameter><parameter=newText>\ny\nz',
      { path: 'a.ts', lines: ['-x', '+y', '+z'], additions: 2, deletions: 1 },
    ],
  ];
  for (const [name, written, expected] of drafts) {
    it(`shows ${name}`, () =>
      assert.deepEqual(
        readDraft(written, () => null),
        expected,
      ));
  }

  describe('of a file that is there', () => {
    const drafts: [string, string, ReturnType<typeof readDraft>][] = [
      [
        'the lines that stay, that go and that come',
        '{"path":"a.ts","content":"one\\n2\\nthree\\n',
        { path: 'a.ts', lines: [' one', '-two', '+2', ' three'], additions: 1, deletions: 1 },
      ],
      [
        'half a line only where none begins so',
        '{"path":"a.ts","content":"one\\nne',
        { path: 'a.ts', lines: [' one', '+ne'], additions: 1, deletions: 0 },
      ],
      ['nothing of what may stay', '{"path":"a.ts","content":"o', { path: 'a.ts', lines: [], additions: 0, deletions: 0 }],
      [
        'nothing removed of a file whose name comes later',
        '{"content":"2\\n"',
        { path: null, lines: ['+2'], additions: 1, deletions: 0 },
      ],
    ];
    for (const [name, written, expected] of drafts) {
      it(`shows ${name}`, () =>
        assert.deepEqual(
          readDraft(written, () => 'one\r\ntwo\r\nthree\r\nfour\r\n'),
          expected,
        ));
    }

    it('waits until it is known', () =>
      assert.equal(
        readDraft('{"path":"a.ts","content":"x', () => undefined),
        null,
      ));
  });

  it('shows the last lines of many', () => {
    const content = Array.from({ length: 100 }, (_, index) => `line ${index}\\n`).join('');
    const draft = readDraft(`{"path":"a","content":"${content}`, () => null);
    assert.deepEqual([draft?.lines.length, draft?.lines.at(-1), draft?.additions], [12, '+line 99', 100]);
  });
});
