import assert from 'node:assert/strict';
import { ContentSplitter, type Segment } from '../../../src/agent/stream/contentSplitter';

/** Splits a text in pieces of `size`. Returns the segments, with adjacent segments of the same kind joined. */
function split(text: string, size: number, mark: string | null = '[TASK_COMPLETE]'): { segments: Segment[]; isMarked: boolean } {
  const splitter = new ContentSplitter(mark);
  const segments: Segment[] = [];
  const add = (more: Segment[]): void => {
    for (const segment of more) {
      const last = segments.at(-1);
      if (last && 'text' in last && 'text' in segment && last.kind === segment.kind) last.text += segment.text;
      else segments.push({ ...segment });
    }
  };
  for (let at = 0; at < text.length; at += size) add(splitter.push(text.slice(at, at + size)));
  add(splitter.flush());
  return { segments, isMarked: splitter.isMarkedComplete };
}

const text = (value: string): Segment => ({ kind: 'text', text: value });
const thinking = (value: string): Segment => ({ kind: 'thinking', text: value });

const wasThinking: Segment = { kind: 'wasThinking' };
const wasNested: Segment = { kind: 'wasThinking', isNested: true };

const cases: [string, string, Segment[], boolean][] = [
  ['plain text', 'Hello', [text('Hello')], false],
  ['thinking first', '<think>Hm</think>Yes', [thinking('Hm'), text('Yes')], false],
  ['thinking in the middle', 'A <think>Hm</think> B', [text('A '), thinking('Hm'), text(' B')], false],
  ['thinking that never ends', '<think>Hm', [thinking('Hm')], false],
  ['an orphan closer', '</think>Yes', [text('Yes')], false],
  ['the mark at the end', 'Done. [TASK_COMPLETE]', [text('Done. ')], true],
  ['the mark in the middle', 'A[TASK_COMPLETE]B', [text('AB')], true],
  ['the beginning of a mark', 'a [TASK_ and <thin', [text('a [TASK_ and <thin')], false],
  ['a mark inside thinking', '<think>then [TASK_COMPLETE]</think>Yes', [thinking('then [TASK_COMPLETE]'), text('Yes')], false],
  ['tags in inline code', 'The `<think>` tag and `</think>`.', [text('The `<think>` tag and `</think>`.')], false],
  [
    'tags in a code block',
    '```xml\n<think>x</think>\n```\n<think>Hm</think>',
    [text('```xml\n<think>x</think>\n```\n'), thinking('Hm')],
    false,
  ],
  [
    'a closer whose opener was in the template',
    'Hm, so\n</think>\n\nYes',
    [text('Hm, so\n'), wasThinking, text('\n\nYes')],
    false,
  ],
  ['the second closer of such an answer', 'Hm</think>Yes</think>!', [text('Hm'), wasThinking, text('Yes!')], false],
  ['a closer after thinking that was told apart', '<think>a</think>b</think>c', [thinking('a'), text('bc')], false],
  [
    'thinking that comes twice',
    '<think>a</think>b<think>c</think>d',
    [thinking('a'), text('b'), thinking('c'), text('d')],
    false,
  ],
  ['an opener inside thinking', '<think>a<think>b</think>c', [thinking('a<think>b'), text('c')], false],
  [
    'the channels of gpt-oss',
    '<|channel|>analysis<|message|>Hm <think><|end|><|start|>assistant<|channel|>final<|message|>Yes<|return|>',
    [thinking('Hm <think>'), text('Yes')],
    false,
  ],
  [
    'a second thought of gpt-oss',
    '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>c <|end|>',
    [thinking('ab'), text('c <|end|>')],
    false,
  ],
  [
    'channels in inline code',
    'The `<|channel|>final<|message|>` token.',
    [text('The `<|channel|>final<|message|>` token.')],
    false,
  ],
  [
    'thinking inside thinking',
    '<think>a<think>b</think>c</think>d',
    [thinking('a<think>b'), text('c'), wasNested, text('d')],
    false,
  ],
  [
    'thinking after thinking that was opened twice',
    '<think>a<think>b</think>c<think>d</think>e</think>f',
    [thinking('a<think>b'), text('c'), thinking('d'), text('ef')],
    false,
  ],
  ['a closer in code alone', '`</think>` is a tag', [text('`</think>` is a tag')], false],
  ['tags between doubled backticks', '``a ` <think>`` b', [text('``a ` <think>`` b')], false],
  ['tags after inline code', '`a` <think>b</think>c', [text('`a` '), thinking('b'), text('c')], false],
  [
    'a fence of the other sign inside a fence',
    '~~~md\n```\n<think>\n~~~\n<think>x</think>y',
    [text('~~~md\n```\n<think>\n~~~\n'), thinking('x'), text('y')],
    false,
  ],
  [
    'a shorter fence inside a longer one',
    '````\n```\n<think>\n```\n````\n<think>x</think>',
    [text('````\n```\n<think>\n```\n````\n'), thinking('x')],
    false,
  ],
  ['a code block in a list', '- ```\n  </think>\n  ```\nz', [text('- ```\n  </think>\n  ```\nz')], false],
  ['characters of several units beside tags', '<think>日本🙂</think>é', [thinking('日本🙂'), text('é')], false],
  ['comparisons', 'a < b <= c <t>', [text('a < b <= c <t>')], false],
];

describe('content splitter', () => {
  for (const [title, input, segments, isMarked] of cases) {
    it(`tells ${title}, in pieces of any size`, () => {
      for (const size of [1, 2, 3, 7, 1000]) assert.deepEqual(split(input, size), { segments, isMarked }, `size ${size}`);
    });
  }

  it('leaves the mark alone where it means nothing', () => {
    assert.deepEqual(split('[TASK_COMPLETE]', 4, null), { segments: [text('[TASK_COMPLETE]')], isMarked: false });
  });

  it('holds back no more than could become a tag', () => {
    const splitter = new ContentSplitter('[TASK_COMPLETE]');
    assert.deepEqual(splitter.push('Hello <th'), [text('Hello ')]);
    assert.deepEqual(splitter.push('e'), [text('<the')]);
  });
});
