import { afterEach, describe, expect, it, vi } from 'vitest';
import { BlockSplitter } from '../../src/webview/markdown/blockSplitter';
import { renderProse } from '../../src/webview/markdown/render';
import { all, get, has } from './support/roles';
import { htmlOf, longAnswer, show } from './support/markdown';

afterEach(() => document.body.replaceChildren());

describe('MarkdownText', () => {
  it('ends in the same page whether the text streamed or came whole', async () => {
    const text = longAnswer(4000);
    const streamed = await show('', true);
    for (let end = 0; end < text.length; end += 37) await streamed.wrapper.setProps({ text: text.slice(0, end), isOpen: true });
    await streamed.wrapper.setProps({ text, isOpen: false });
    const whole = await show(text);
    expect(htmlOf(streamed)).toBe(htmlOf(whole));
    expect(streamed.wrapper.findAll('figure').length).toBeGreaterThan(4);
  });

  it('leaves what has been written untouched while more comes', async () => {
    const { wrapper, root } = await show('First paragraph.\n\nThe second one gr', true);
    const [first, second] = [...root.querySelectorAll('p')];
    const words = second?.firstChild;
    await wrapper.setProps({ text: 'First paragraph.\n\nThe second one grows **and', isOpen: true });
    await wrapper.setProps({ text: 'First paragraph.\n\nThe second one grows **and** grows\n\nThird', isOpen: true });
    const after = [...root.querySelectorAll('p')];
    expect(after[0]).toBe(first);
    expect(after[1]).toBe(second);
    expect(after[1]?.firstChild).toBe(words);
    expect(after[1]?.textContent).toBe('The second one grows and grows');
  });

  it('puts code inside lists into blocks of their own', async () => {
    const { wrapper } = await show('1. Do this:\n   ```sh\n   ls -l\n   ```\n2. Then that');
    const item = wrapper.get('li');
    expect(item.find('figure').exists()).toBe(true);
    expect(item.get('pre').text()).toBe('ls -l');
    expect(item.get('figcaption').text()).toContain('Shell');
  });

  it('aligns the columns of a table', async () => {
    const { wrapper } = await show('| a | b |\n|--|--:|\n| 1 | 2 |');
    expect(wrapper.findAll('td').map((cell) => cell.attributes('data-align'))).toEqual([undefined, 'right']);
  });

  it('colours code once it is whole', async () => {
    const code = '```ts\nconst a = 1;\n';
    const { wrapper } = await show(code, true);
    expect(wrapper.find('.hljs-keyword').exists()).toBe(false);
    await wrapper.setProps({ text: `${code}\`\`\`\n\nDone`, isOpen: true });
    expect(wrapper.get('.hljs-keyword').text()).toBe('const');
  });

  it('copies the whole of a code block, folded or not', async () => {
    const writeText = vi.fn(async () => undefined);
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    const code = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
    const { wrapper, root } = await show(`\`\`\`\n${code}\n\`\`\``);
    expect(wrapper.get('pre').text().split('\n')).toHaveLength(40);
    get(root, 'button', 'Copy').click();
    expect(writeText).toHaveBeenCalledWith(code);
    get(root, 'button', 'Show all 60 lines').click();
    await wrapper.vm.$nextTick();
    expect(wrapper.get('pre').text()).toBe(code);
    expect(has(root, 'button', 'Show less')).toBe(true);
    vi.unstubAllGlobals();
  });

  it('has one heading level for the page outline, with a larger size for levels 1 and 2', async () => {
    const { root } = await show('# One\n\n## Two\n\n### Three\n\n###### Six\n\nAlso one\n===');
    const headings = all(root, 'heading').map(({ tagName, className }) => [tagName, className]);
    expect(headings).toEqual([
      ...[
        ['H3', 'md-h1'],
        ['H3', 'md-h2'],
        ['H3', ''],
        ['H3', ''],
      ],
      ['H3', 'md-h1'],
    ]);
  });

  it('stands lines of 200,000 characters and 10,000 lines of code', async () => {
    const { wrapper } = await show(`${'x'.repeat(200_000)}\n\n\`\`\`js\n${'let a = 1;\n'.repeat(10_000)}\`\`\``);
    expect(wrapper.get('pre').text().split('\n')).toHaveLength(40);
  });

  it('renders again only the end of 20 KB that come in 500 pieces', () => {
    const text = longAnswer(20_000);
    const size = Math.ceil(text.length / 500);
    const splitter = new BlockSplitter();
    const drawn: unknown[] = [];
    let rendered = 0;
    let whole = 0;
    for (let end = size; end < text.length + size; end += size) {
      const piece = text.slice(0, end);
      whole += piece.length;
      splitter.update(piece, true).forEach((part, index) => {
        if (drawn[index] !== part) rendered += (part.kind === 'prose' ? renderProse(part, false).html : part.text).length;
        drawn[index] = part;
      });
    }
    expect(rendered).toBeGreaterThan(text.length - size);
    expect(rendered / whole).toBeLessThan(0.05);
  });
});
