import { formatNumber } from '../../src/types/format';
import { mount } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import LongText from '../../src/webview/common/texts/LongText.vue';
import { BlockSplitter, type Part } from '../../src/webview/markdown/blockSplitter';
import { boundText } from '../../src/webview/common/texts/boundText';
import { oneLine } from '../../src/protocol/text/oneLine';
import { visibleControls } from '../../src/protocol/text/visibleText';
import { get, spokenText } from './support/roles';
import { longAnswer, show } from './support/markdown';
import { Random } from './support/random';
import { untilState } from './support/untilState';

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const longest = 33_000;
const kinds: Readonly<Record<string, string>> = {
  'a line': 'x'.repeat(100_000),
  'a line of words': 'some words '.repeat(10_000),
  'pairs of code units': '👩‍👩‍👧'.repeat(15_000),
  'a paragraph': 'a line of a paragraph that never ends\n'.repeat(3000),
  'a list': '- item with *some* words\n'.repeat(4000),
  'a nested list': '- item\n  - nested\n\n    more of it\n'.repeat(3000),
  'a quote': '> quoted words\n'.repeat(7000),
  'a table': `| a | b |\n|---|---|\n${'| cell | other |\n'.repeat(6000)}`,
  'indented code': '    let a = 1;\n'.repeat(7000),
  'fenced code': `\`\`\`js\n${'let a = 1;\n'.repeat(9000)}\`\`\`\nafter`,
  brackets: '['.repeat(70_000),
  everything: longAnswer(150_000),
};
const whole = (text: string) => [...new BlockSplitter().update(text, false)];
const textOf = (part: Part) => (part.kind === 'code' ? part.text : part.source);

describe('BlockSplitter on very long blocks', () => {
  it.each(Object.entries(kinds))('cuts %s at the same places however the text came', (_, text) => {
    const expected = whole(text);
    for (let seed = 1; seed <= 4; seed += 1) {
      const random = new Random(seed);
      const splitter = new BlockSplitter();
      for (let end = 0; end < text.length; end += 1 + random.integer(9000 * seed)) splitter.update(text.slice(0, end), true);
      expect([...splitter.update(text, false)], `seed ${seed}`).toEqual(expected);
    }
  });

  it.each(Object.entries(kinds))('parses no more than a bounded piece of %s, and loses nothing of it', (name, text) => {
    const parts = whole(text);
    for (const part of parts) if (part.kind === 'prose') expect(part.source.length).toBeLessThan(longest);
    const shown = parts.map(textOf).join('').replaceAll(/\s/g, '');
    const letters = text.replaceAll(/```\w*\n|\s/g, '');
    if (name === 'a table') expect(shown.split('cell').length).toBe(6001);
    else if (name !== 'everything') expect(shown).toBe(letters);
  });

  it('repeats the head of a table where it is cut', () => {
    const parts = whole(kinds['a table'] ?? '');
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect(textOf(part).startsWith('| a | b |\n|---|---|\n| cell')).toBe(true);
  });
});

describe('a very long answer', () => {
  it('touches nothing but its end when more comes', async () => {
    const text = 'A paragraph.\n\n'.repeat(310);
    const { wrapper, root } = await show(text, true);
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver((records) => changes.push(...records));
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    for (let piece = 1; piece <= 5; piece += 1) {
      await wrapper.setProps({ text: `${text}The last one${' and more of it'.repeat(piece)}`, isOpen: true });
    }
    changes.push(...observer.takeRecords());
    observer.disconnect();
    expect(root.children.length).toBe(8);
    expect(changes.length).toBeGreaterThan(0);
    for (const { target } of changes) expect(root.lastElementChild?.contains(target)).toBe(true);
    wrapper.unmount();
  });

  it('waits as plain text until it comes near', async () => {
    const seen: { element: Element; hear: IntersectionObserverCallback }[] = [];
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(private readonly hear: IntersectionObserverCallback) {}
        observe(element: Element): void {
          seen.push({ element, hear: this.hear });
        }
        disconnect(): void {}
      },
    );
    const { wrapper, root } = await show(longAnswer(60_000));
    const [first] = root.children;
    expect(seen.length).toBe(root.children.length - 2);
    expect(first?.querySelector('figure')).toBeNull();
    expect(first?.textContent).toContain('The parser walks *every* line');
    const [waiting] = seen;
    waiting?.hear([{ isIntersecting: true } as IntersectionObserverEntry], {} as IntersectionObserver);
    await wrapper.vm.$nextTick();
    expect(first?.querySelector('figure')).not.toBeNull();
    expect(first?.querySelector('em')?.textContent).toBe('every');
    expect(root.lastElementChild?.querySelector('figure')).not.toBeNull();
    wrapper.unmount();
  });

  it('of usual length is drawn at once', async () => {
    const observe = vi.fn();
    vi.stubGlobal('IntersectionObserver', class { observe = observe; disconnect = vi.fn(); }); // prettier-ignore
    const { wrapper } = await show(longAnswer(8000));
    expect(observe).not.toHaveBeenCalled();
    wrapper.unmount();
  });
});

describe('a very long message', () => {
  it('shows its beginning, on demand as much as can be scrolled through, and copies all of it', async () => {
    const writeText = vi.fn(async () => undefined);
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    const text = '\u202eA line that somebody pasted\n'.repeat(80_000);
    const wrapper = mount(LongText, { props: { text }, attachTo: document.body });
    expect(wrapper.get('p').element.textContent.length).toBeLessThan(25_000);
    get(document.body, 'button', `Show all ${formatNumber(text.length)} characters`).click();
    await nextTick();
    const shown = wrapper.get('p').element.textContent.replaceAll('⟨U+202E⟩', '\u202e');
    expect([shown.length, text.startsWith(shown.slice(0, -1))]).toEqual([500_001, true]);
    get(document.body, 'button', 'Copy').click();
    await vi.waitUntil(() => spokenText(get(document.body, 'status')) === 'Copied', untilState);
    expect(writeText).toHaveBeenCalledExactlyOnceWith(text);
    wrapper.unmount();
  });

  it('of usual length is shown as it is', () => {
    const wrapper = mount(LongText, { props: { text: '  one\n\ntwo <b>\u202e' } });
    expect(wrapper.get('p').element.textContent).toBe('  one\n\ntwo <b>⟨U+202E⟩');
    expect(wrapper.find('button').exists()).toBe(false);
  });
});

describe('text in other scripts', () => {
  it('puts marks, quotation lines and columns on the side where their text begins', async () => {
    const { wrapper } = await show('- واحد\n\n1. אחת\n\n> ציטוט\n\n| שם | b |\n|---|---|\n| 1 | 2 |');
    for (const name of ['ul', 'ol', 'blockquote', 'table']) expect(wrapper.get(name).attributes('dir'), name).toBe('auto');
    wrapper.unmount();
  });

  it('keeps the marks that join letters and emoji', async () => {
    const { wrapper } = await show('می\u200cخواهم 👩\u200d👩\u200d👧 `क्\u200dष`');
    expect(wrapper.text()).toBe('می\u200cخواهم 👩\u200d👩\u200d👧 क्\u200dष');
    wrapper.unmount();
  });

  it('shows it in the name of a picture too', async () => {
    const { wrapper } = await show('![a \u202egnp](https://example.org/x)');
    expect(wrapper.text()).toBe('a ⟨U+202E⟩gnp');
    wrapper.unmount();
  });

  it('shows what would turn other text round, in prose and in code within it', async () => {
    const { wrapper } = await show('a \u202egnp.exe and \u0007 `\u2066x`');
    expect(wrapper.text()).toBe('a ⟨U+202E⟩gnp.exe and ⟨U+0007⟩ ⟨U+2066⟩x');
    wrapper.unmount();
  });
});

describe('a block of code', () => {
  it('shows what turns the text round, and copies it as it is', async () => {
    const writeText = vi.fn(async () => undefined);
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    const code = 'if (role !== "user\u202e \u2066// only admins\u2069 \u2066") {';
    const { wrapper, root } = await show(`\`\`\`js\n${code}\n\`\`\``);
    expect(wrapper.get('pre').text()).toContain('"user⟨U+202E⟩ ⟨U+2066⟩// only admins⟨U+2069⟩');
    get(root, 'button', 'Copy').click();
    expect(writeText).toHaveBeenCalledWith(code);
    wrapper.unmount();
  });
});

describe('the button that shows all', () => {
  it('counts lines, or the characters of a single one', async () => {
    const { wrapper } = await show(`\`\`\`\n${'x'.repeat(30_000)}\n\`\`\`\n\n\`\`\`\n${'x\n'.repeat(1200)}\n\`\`\``);
    expect(wrapper.findAll('.more').map((button) => button.text())).toEqual([
      `Show all 30,000 characters`,
      `Show all 1,200 lines`,
    ]);
    wrapper.unmount();
  });
});

describe('boundText', () => {
  it('keeps whole lines of either end, and says how many there are', () => {
    const bounds = { lines: 2, characters: 100 };
    expect(boundText('a\nb\nc\n', { ...bounds, end: 'start' })).toEqual({ text: 'a\nb', isCut: true, lineCount: 3 });
    expect(boundText('a\nb\nc', { ...bounds, end: 'end' })).toEqual({ text: 'b\nc', isCut: true, lineCount: 3 });
    expect(boundText('\n\n\n', { ...bounds, end: 'end' })).toEqual({ text: '\n', isCut: true, lineCount: 3 });
    expect(boundText('a\nb\n', { ...bounds, end: 'start' })).toEqual({ text: 'a\nb', isCut: false, lineCount: 2 });
    expect(boundText('', { ...bounds, end: 'end' })).toEqual({ text: '', isCut: false, lineCount: 1 });
  });

  it('cuts a long line, but no character in two', () => {
    const bounds = { lines: 2, characters: 3 };
    expect(boundText('ab👍cd', { ...bounds, end: 'start' }).text).toBe('ab…');
    expect(boundText('ab👍cd', { ...bounds, end: 'end' }).text).toBe('…cd');
  });
});

describe('oneLine', () => {
  it('makes one line of a bounded length, with what is hidden in it', () => {
    expect(oneLine('npm\n\trun  x')).toBe('npm run x');
    expect(oneLine('echo \u202etxt.exe')).toBe('echo ⟨U+202E⟩txt.exe');
    expect(oneLine('👩\u200d👧 \u202ex', 300, visibleControls)).toBe('👩\u200d👧 ⟨U+202E⟩x');
    expect(oneLine('x'.repeat(1_000_000))).toBe(`${'x'.repeat(300)}…`);
    expect(oneLine(`ab👍${'c'.repeat(9)}`, 3)).toBe('ab…');
  });
});
