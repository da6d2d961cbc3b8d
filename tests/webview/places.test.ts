import { mount } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { placeNamed, symbolNamed } from '../../src/webview/markdown/decorate';
import type { Host } from '../../src/webview/common/useHost';
import MarkdownText from '../../src/webview/markdown/MarkdownText.vue';
import { createPlaces, placesKey } from '../../src/webview/markdown/usePlaces';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { show } from './support/markdown';
import { all, get, nameOf } from './support/roles';
import { untilState } from './support/untilState';

let app: TestApp | undefined;
afterEach(() => {
  app?.wrapper.unmount();
  app = undefined;
  document.body.replaceChildren();
});

/** Shows an answer in a workspace with these files. */
async function answer(text: string, files: readonly string[], symbols: Readonly<Record<string, number>> = {}): Promise<TestApp> {
  const log = new TestLog();
  log.user('Where?');
  log.add('assistant_output', text, { end: 'complete' });
  log.add('run_end', '', { outcome: 'done' });
  const started = (app = await startApp({ log, ready: { sessionId: null } }));
  started.api.findFiles.mockImplementation(async ({ paths }) => ({
    found: paths.map((path) => files.find((file) => file === path) ?? null),
  }));
  started.api.findSymbols.mockImplementation(async ({ names }) => ({
    found: names.map((name) => {
      const startLine = symbols[name];
      return startLine === undefined ? null : { path: 'src/app.ts', startLine };
    }),
  }));
  started.port.emit('navigate', { page: 'chat', sessionId: log.sessionId });
  await started.settle();
  const asked = Object.keys(symbols).length > 0 ? started.api.findSymbols : started.api.findFiles;
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), untilState);
  await started.settle();
  return started;
}
const links = () => all(document.querySelector('.markdown') as Element, 'link').map((link) => link.textContent);

describe('a place that an answer names', () => {
  const named: [string, ReturnType<typeof placeNamed>][] = [
    ['src/app.ts', { path: 'src/app.ts' }],
    ['./src\\app.ts:10', { path: 'src/app.ts', startLine: 10, endLine: 10 }],
    ['app.ts:10-24', { path: 'app.ts', startLine: 10, endLine: 24 }],
    ['app.ts:10:5', { path: 'app.ts', startLine: 10, endLine: 10 }],
    ['app.ts#L3-L9', { path: 'app.ts', startLine: 3, endLine: 9 }],
    ['app.ts:24-10', { path: 'app.ts', startLine: 24, endLine: 24 }],
    ['.gitignore', { path: '.gitignore' }],
    ['scripts/run', { path: 'scripts/run' }],
    ...['parse', '1.2.3', '10:30', 'a b.ts', '1/2', 'https://example.org/a.ts', `${'x'.repeat(300)}.ts`].map(
      (text): [string, null] => [text, null],
    ),
  ];
  for (const [text, place] of named) it(`is read from ${text.slice(0, 30)}`, () => expect(placeNamed(text)).toEqual(place));

  it('is a link for an image in the workspace, and only its label for a missing one', async () => {
    const shown = await answer('![Logo](docs/logo.png) and ![None](docs/none.png)', ['docs/logo.png']);
    expect(links()).toEqual(['Logo']);
    (all(document.querySelector('.markdown') as Element, 'link')[0] as HTMLElement).click();
    await shown.settle();
    expect(shown.api.openFile.mock.calls).toEqual([[{ path: 'docs/logo.png' }]]);
    expect(document.querySelector('.markdown')?.textContent).toContain('None');
  });

  it('is a link where the workspace has the file, in words and in code, and opens it at its lines', async () => {
    const text =
      'See src/app.ts:10-12, `lib/b.ts`, none.ts and [this](https://example.org/src/app.ts).\n\n```ts\nsrc/app.ts\n```\n';
    const shown = await answer(text, ['src/app.ts', 'lib/b.ts']);
    expect(links()).toEqual(['src/app.ts:10-12', 'lib/b.ts', 'this']);
    const [first, second] = all(document.querySelector('.markdown') as Element, 'link');
    expect(first?.title).toBe('Open src/app.ts, line 10');
    (first as HTMLElement).click();
    (second as HTMLElement).click();
    await shown.settle();
    expect(shown.api.openFile.mock.calls).toEqual([[{ path: 'src/app.ts', startLine: 10, endLine: 12 }], [{ path: 'lib/b.ts' }]]);
    expect(shown.api.openLink).not.toHaveBeenCalled();
    expect(shown.api.findFiles).toHaveBeenCalledTimes(1);
  });

  it('is a link where an address of the answer is one, which says where it leads', async () => {
    const text =
      'In [the app](src/app.ts:10), [a link](src/none.ts), [by name][b] and [all](javascript:src/app.ts).\n\n[b]: ./lib/b.ts';
    const shown = await answer(text, ['src/app.ts', 'lib/b.ts']);
    expect(links()).toEqual(['the app', 'by name']);
    const [first] = all(document.querySelector('.markdown') as Element, 'link');
    expect(first?.title).toBe('Open src/app.ts, line 10');
    (first as HTMLElement).click();
    await shown.settle();
    expect(shown.api.openFile).toHaveBeenCalledExactlyOnceWith({ path: 'src/app.ts', startLine: 10, endLine: 10 });
    expect(document.querySelector('[data-place]')).toBeNull();
  });

  it('is no link where the answer gives it another target, whatever it writes', async () => {
    await answer('<a href="#" data-path="src/app.ts">x</a> [y](#){data-path=src/app.ts}', []);
    expect(document.querySelectorAll('[data-path]')).toHaveLength(0);
  });
});

describe('a symbol that an answer names', () => {
  const inCode: [string, string | null][] = [
    ['load', 'load'],
    ['load()', 'load'],
    ['load(id, true)', 'load'],
    ['Store.load', 'Store.load'],
    ['app.Store#load()', 'Store.load'],
    ['Store::load', 'Store.load'],
    ['this.load()', 'load'],
    ...['id', '12', 'npm test', '--flag', 'a-b', 'a = 1', '', `x${'y'.repeat(300)}`].map((text): [string, null] => [text, null]),
  ];
  for (const [text, name] of inCode)
    it(`is read from the code ${text.slice(0, 20)}`, () => expect(symbolNamed(text, true)).toBe(name));

  it('is in prose only what is written as names are', () => {
    const words = ['loadStore', 'load_store', 'Store', 'load', 'example.com', '__init__', 'don_t_stop'];
    expect(words.filter((word) => symbolNamed(word, false) !== null)).toEqual(['loadStore', 'load_store', 'don_t_stop']);
  });

  it('is a link where the index knows it, and opens it where it is defined by then', async () => {
    const lines: Record<string, number> = { load: 3, 'Store.save': 9, loadStore: 12 };
    const text = 'Call `load()` or `Store.save`, then loadStore, `missing` and again `load`.\n\n```ts\nload();\n```\n';
    const shown = await answer(text, [], lines);
    expect(links()).toEqual(['load()', 'Store.save', 'loadStore', 'load']);
    const [first] = all(document.querySelector('.markdown') as Element, 'link');
    expect(first?.title).toBe('Open src/app.ts, line 3');
    expect(shown.api.findSymbols.mock.calls).toEqual([[{ names: ['load', 'Store.save', 'missing', 'loadStore'] }]]);
    lines['load'] = 30;
    (first as HTMLElement).click();
    await shown.settle();
    expect(shown.api.openFile.mock.calls).toEqual([[{ path: 'src/app.ts', startLine: 30 }]]);
  });

  it('is looked up once for an answer that grows, when that is whole', async () => {
    const findSymbols = vi.fn(async ({ names }: { names: string[] }) => ({
      found: names.map(() => ({ path: 'a.ts', startLine: 1 })),
    }));
    const findFiles = vi.fn(async ({ paths }: { paths: string[] }) => ({ found: paths.map(() => 'a.ts') }));
    const host = { api: { findSymbols, findFiles }, on: () => undefined } as unknown as Host;
    const options = { props: { text: '', isOpen: true }, global: { provide: { [placesKey]: createPlaces(host) } } };
    const wrapper = mount(MarkdownText, { ...options, attachTo: document.body });
    await wrapper.setProps({ text: 'In a.ts, `first` begins.\n\nThen ' });
    await vi.waitFor(() => expect(findFiles).toHaveBeenCalledTimes(1), untilState);
    await wrapper.setProps({ text: 'In a.ts, `first` begins.\n\nThen `second` goes on.\n\nAt last `third`.' });
    expect(findSymbols).not.toHaveBeenCalled();
    await wrapper.setProps({ isOpen: false });
    await vi.waitFor(() => expect(wrapper.findAll('[data-symbol]')).toHaveLength(3), untilState);
    expect(findSymbols.mock.calls).toEqual([[{ names: ['first', 'second', 'third'] }]]);
    wrapper.unmount();
  });

  it('is no link where the answer writes our attribute itself', async () => {
    await answer('<a href="#" data-symbol="load" data-path="x">x</a> `nothing`', [], { load: 1 });
    expect(document.querySelectorAll('[data-symbol]')).toHaveLength(0);
  });
});

describe('a task list', () => {
  it('has check boxes, named by their tasks, which change nothing', async () => {
    const { root } = await show('- [ ] write `tests`\n- [x] fix it\n  - [X] inside\n- [link] none\n- [ ]none\n\n[ ] none');
    const boxes = all(root, 'checkbox');
    expect(boxes.map((box) => [nameOf(box), box.getAttribute('aria-checked')])).toEqual([
      ['write tests', 'false'],
      ['fix it', 'true'],
      ['inside', 'true'],
    ]);
    expect(get(root, 'checkbox', 'fix it').getAttribute('aria-disabled')).toBe('true');
    expect(root.textContent).not.toContain('[x]');
  });
});
