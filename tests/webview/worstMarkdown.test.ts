import { afterEach, describe, expect, it, vi } from 'vitest';
import { BlockSplitter, type Part } from '../../src/webview/markdown/blockSplitter';
import { highlight } from '../../src/webview/markdown/highlight';
import { highlighter } from '../../src/webview/markdown/languages';
import { colouredAtOnce } from '../../src/webview/markdown/limits';
import { markdown } from '../../src/webview/markdown/parser';
import { renderProse } from '../../src/webview/markdown/render';
import { wideTable } from '../../src/webview/markdown/tables';
import { worstMarkdown } from '../support/worstMarkdown';
import { show } from './support/markdown';
import { Random } from './support/random';

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

const whole = (text: string): Part[] => [...new BlockSplitter().update(text, false)];
const linkTo = (part: Part | undefined) => (part?.kind === 'prose' ? part.references : undefined);

/** Counts the characters that are parsed, stored with the blocks, and rendered. */
function workOn(text: string): number {
  const parse = vi.spyOn(markdown.block, 'parse');
  let work = 0;
  for (const part of whole(text)) {
    if (part.kind === 'code') work += part.text.length;
    else work += JSON.stringify(part).length + renderProse(part, false).html.length;
  }
  for (const [source] of parse.mock.calls) work += source.length;
  parse.mockRestore();
  return work;
}

describe('the worst markdown', () => {
  it.each(Object.entries(worstMarkdown))('makes work in proportion to its length: %s', (_, make) => {
    // Text that is handled in a single step has almost no cost, so the comparison uses a minimum.
    const few = Math.max(workOn(make(8192)), 8192 * 8);
    const many = workOn(make(65_536));
    expect(many / few).toBeLessThanOrEqual(12);
    expect(many).toBeLessThan(65_536 * 60);
  });

  it.each(Object.entries(worstMarkdown))('comes to the same blocks in pieces: %s', (_, make) => {
    const text = make(40_000);
    const random = new Random(7);
    const splitter = new BlockSplitter();
    for (let end = 0; end < text.length; end += 1 + random.integer(6000)) splitter.update(text.slice(0, end), true);
    expect([...splitter.update(text, false)]).toEqual(whole(text));
  });
});

describe('a table that is too wide', () => {
  const columns = 5000;
  const row = '|b'.repeat(columns);
  const table = `${'|a'.repeat(columns / 4)}|\n${'|-'.repeat(columns / 4)}|\n${row}|\n${row}|\n`;

  it('is shown as its text, whole, and says so', async () => {
    expect(whole(`${table}\nafter`)).toEqual([
      { kind: 'code', language: wideTable, text: table.trimEnd(), isClosed: true },
      { kind: 'prose', source: 'after', references: null },
    ]);
    const { wrapper } = await show(table);
    expect(wrapper.get('figcaption').text()).toBe('Table is too wide and is shown as text');
    expect(wrapper.get('pre').text()).toContain('|b|b');
    wrapper.unmount();
  });

  it('grows by its lines', () => {
    const splitter = new BlockSplitter();
    splitter.update(table, true);
    const parse = vi.spyOn(markdown.block, 'parse');
    expect(splitter.update(`${table}|c`, true)).toEqual([
      { kind: 'code', language: wideTable, text: `${table}|c`, isClosed: false },
    ]);
    expect(parse).not.toHaveBeenCalled();
  });

  it('is one also in a list', async () => {
    const { wrapper } = await show(`- ${table.replaceAll('\n', '\n  ')}`);
    expect(wrapper.get('li figcaption').text()).toContain('too wide');
    wrapper.unmount();
  });

  it('has rows of as many cells as are written', async () => {
    const { wrapper } = await show('| a | b | c |\n|---|---|---|\n| 1 |\n| | 2 |\n||||\n');
    expect(wrapper.findAll('tr').map((line) => line.element.children.length)).toEqual([3, 1, 2, 1]);
    wrapper.unmount();
  });
});

describe('definitions', () => {
  const to = (href: string) => ({ href, title: '' });

  it('are kept with the blocks that mention them, and touch no others', () => {
    const splitter = new BlockSplitter();
    const text = '[one] and [two]\n\n[none]\n\nmiddle\n\n';
    const before = [...splitter.update(text, true)];
    const after = splitter.update(`${text}[one]: /1\n\nend\n\n`, true);
    expect(linkTo(after[0])).toEqual({ ONE: to('/1') });
    expect(after[1]).toBe(before[1]);
    const later = splitter.update(`${text}[one]: /1\n\nend\n\n[Two]: /2\n[one]: /other\n`, true);
    expect(linkTo(later[0])).toEqual({ ONE: to('/1'), TWO: to('/2') });
    expect(later[1]).toBe(before[1]);
  });

  it('reach more than a thousand', () => {
    const text = Array.from({ length: 3000 }, (_, index) => `[a${index}]: /${index}\n`).join('');
    expect(linkTo(whole(`${text}\n[a2999]`).at(-1))).toEqual({ A2999: to('/2999') });
  });

  it('are found across the lines of a quotation', async () => {
    const { wrapper } = await show('> [a\n> b]\n\n[a b]: https://example.org');
    expect(wrapper.get('a').attributes('href')).toBe('https://example.org');
    wrapper.unmount();
  });

  it('go away with what was none after all', () => {
    const splitter = new BlockSplitter();
    splitter.update('[a]\n\n[a]: /x', true);
    expect(linkTo(splitter.update('[a]\n\n[a]: /x y\n', true)[0])).toBeNull();
  });

  it('make no more of a block than can be shown', () => {
    const [, block] = whole(`[a]: /${'x'.repeat(5000)}\n\n${'[a] '.repeat(1000)}`);
    expect(linkTo(block)).toEqual({ A: null });
  });
});

describe('an image in a link', () => {
  it('is no link of its own, the next one is', async () => {
    const { wrapper } = await show('[![a](https://example.org/1)](https://example.org/2) ![b](https://example.org/3)');
    expect(wrapper.findAll('a').map((link) => link.attributes('href'))).toEqual([
      'https://example.org/2',
      'https://example.org/3',
    ]);
    expect(wrapper.find('a a').exists()).toBe(false);
    wrapper.unmount();
  });
});

describe('colours', () => {
  it('are given to a bounded piece at a time, and to all of it', () => {
    const code = 'const a = 1; // one\n'.repeat(2000);
    const pieces = vi.spyOn(highlighter(), 'highlight');
    const html = highlight(code, 'js') ?? '';
    expect(html.split('hljs-comment').length).toBe(2001);
    for (const [piece] of pieces.mock.calls) expect(piece.length).toBeLessThanOrEqual(colouredAtOnce);
    expect(pieces.mock.calls.map(([piece]) => piece).join('')).toBe(code);
  });

  it('are not given to a line that is too long', () => {
    expect(highlight(`let a;\n${'[a]('.repeat(1000)}\n`, 'markdown')).toBeNull();
    expect(highlight(`let a;\n${'[a]('.repeat(100)}\n`, 'markdown')).not.toBeNull();
  });
});
