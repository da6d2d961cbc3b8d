import { afterEach, describe, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import { fixedOptions, mentionAt } from '../../src/webview/composer/mentions';
import { startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  app?.wrapper.unmount();
  document.body.replaceChildren();
});

const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
function write(text: string): void {
  field().focus();
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  field().dispatchEvent(new Event('input', { bubbles: true }));
}
async function type(text: string): Promise<void> {
  write(text);
  await app.settle();
  // The list waits for a pause before it requests files.
  // eslint-disable-next-line waits/long -- That pause is 100 ms.
  await new Promise((resolve) => setTimeout(resolve, 120));
  await app.settle();
}
const options = () => all(app.root, 'option').map(nameOf);

describe('a mention that is being typed', () => {
  it('is found at the caret, and nowhere else', () => {
    expect(mentionAt('see #fi', 7)).toEqual({ start: 4, end: 7, sign: '#', kind: 'any', query: 'fi' });
    expect(mentionAt('#file:src/a', 11)).toMatchObject({ kind: 'file', query: 'src/a' });
    expect(mentionAt('(@wor', 5)).toMatchObject({ sign: '@', query: 'wor' });
    for (const text of ['a#b', '# heading', 'me@example.org', 'C# is', '##'])
      expect(mentionAt(text, text.length), text).toBe(null);
    expect(mentionAt('#file then', 10)).toBe(null);
  });

  it('offers each kind by its beginning', () => {
    const offered = (text: string) => {
      const typed = mentionAt(text, text.length);
      return typed === null ? null : fixedOptions(typed).map(({ label }) => label);
    };
    const kinds = ['#file:', '#folder:', '#symbol:', '#codebase', '#selection', '#problems', '#changes', '#terminal'];
    expect(offered('#')).toEqual(kinds);
    expect(offered('#f')).toEqual(['#file:', '#folder:']);
    expect(offered('@')).toEqual(['@workspace']);
    expect(offered('#file:a')).toEqual([]);
  });

  it('says that only lists of files are sent for a folder and for changes', () => {
    const about = (typed: string) => fixedOptions({ sign: '#', kind: 'any', query: typed, start: 0, end: 0 })[0]?.about;
    expect(about('folder')).toBe('File list of a folder');
    expect(about('changes')).toBe('List of changed files');
  });

  it('lists files by keyboard, and what is chosen is attached and sent', async () => {
    app = await startApp({ log: new TestLog() });
    app.api.completeMention.mockResolvedValue({
      items: [{ label: 'app.ts', about: 'src', item: { kind: 'file', path: 'src/app.ts' } }],
    });
    await type('Explain #app');
    expect(options()).toEqual(['app.ts']);
    expect(app.api.completeMention).toHaveBeenLastCalledWith({ kind: 'any', query: 'app' });
    expect(field().getAttribute('aria-activedescendant')).toBe(get(app.root, 'option', 'app.ts').id);
    await app.press('Enter');
    expect(app.api.send).not.toHaveBeenCalled();
    expect(field().value).toBe('Explain #app.ts ');
    expect(has(app.root, 'listbox', 'Mentions')).toBe(false);
    expect(has(app.root, 'button', 'Remove app.ts')).toBe(true);
    await app.press('Enter');
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith({
      sessionId: 's1',
      text: 'Explain #app.ts',
      mode: 'agent',
      model: tools.name,
      attachments: [{ kind: 'file', path: 'src/app.ts' }],
    });
  });

  it('goes on with a name after a kind that needs one', async () => {
    app = await startApp({ log: new TestLog() });
    await type('#fo');
    await app.press('Tab');
    expect(field().value).toBe('#folder:');
    app.api.completeMention.mockResolvedValue({ items: [{ label: 'src/', about: '', item: { kind: 'folder', path: 'src' } }] });
    await type('#folder:s');
    expect(app.api.completeMention).toHaveBeenLastCalledWith({ kind: 'folder', query: 's' });
    await app.press('Enter');
    expect(has(app.root, 'button', 'Remove src')).toBe(true);
  });

  it('attaches what has no name: problems, the terminal, the workspace', async () => {
    app = await startApp({ log: new TestLog() });
    for (const name of ['#problems', '#changes', '#terminal', '@workspace']) {
      await type(name.slice(0, 4));
      await app.press('Enter');
      expect(has(app.root, 'button', `Remove ${name}`), name).toBe(true);
      await type('');
    }
    await type('#codeb');
    await app.press('Enter');
    expect(has(app.root, 'button', 'Remove @workspace'), '#codebase').toBe(true);
    await type('');
    app.port.emit('inEditor', {
      items: [{ item: { kind: 'selection', path: 'src/app.ts', startLine: 2, endLine: 4 }, isSent: true }],
    });
    await type('#sel');
    await app.press('Enter');
    expect(app.api.attachMention).toHaveBeenLastCalledWith({ item: null });
  });

  it('goes with a message that is sent while it is still being attached', async () => {
    app = await startApp({ log: new TestLog() });
    const item = { kind: 'workspace', path: '@workspace' } as const;
    let attach = (): void => undefined;
    app.api.attachMention.mockReturnValue(new Promise((resolve) => (attach = () => resolve({ items: [item], problems: [] }))));
    await type('@work');
    await app.press('Enter');
    await type('Where is the discount?');
    await app.press('Enter');
    expect(app.api.send).not.toHaveBeenCalled();
    attach();
    await app.settle();
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ text: 'Where is the discount?', attachments: [item] }),
    );
    expect(has(app.root, 'button', 'Remove @workspace')).toBe(false);
  });

  it('is closed with Escape, and the words stay', async () => {
    app = await startApp({ log: new TestLog() });
    await type('#');
    expect(has(app.root, 'listbox', 'Mentions')).toBe(true);
    await app.press('Escape');
    expect([has(app.root, 'listbox', 'Mentions'), field().value]).toEqual([false, '#']);
  });

  it('never chooses an entry of an earlier text', async () => {
    app = await startApp({ log: new TestLog() });
    const items = ['price.ts', 'print.ts'].map((label) => ({
      label,
      about: 'src',
      item: { kind: 'file' as const, path: `src/${label}` },
    }));
    app.api.completeMention.mockImplementation(async ({ query }) => {
      if (query !== 'pri') await new Promise(() => undefined);
      return { items };
    });
    await type('#pri');
    expect(options()).toEqual(['price.ts', 'print.ts']);
    write('#prin');
    await app.settle();
    expect(options()).toEqual(['print.ts']);
  });
});

describe('a reference that is typed in full', () => {
  const price = { kind: 'file', path: 'src/lib/price.ts' } as const;
  const folder = { kind: 'folder', path: 'src/lib' } as const;
  const sent = () => app.api.send.mock.calls.map(([{ text, attachments }]) => ({ text, attachments: attachments ?? [] }));
  const notes = () => all(app.root, 'status').map((note) => note.textContent);

  it('is attached at the blank', async () => {
    app = await startApp({ log: new TestLog() });
    for (const name of ['#problems', '#changes', '#terminal']) await type(`${field().value}${name} `);
    for (const name of ['#problems', '#changes', '#terminal']) expect(has(app.root, 'button', `Remove ${name}`), name).toBe(true);
    await app.press('Enter');
    expect(sent()).toEqual([
      {
        text: '#problems #changes #terminal',
        attachments: ['problems', 'changes', 'terminal'].map((kind) => ({ kind, path: `#${kind}` })),
      },
    ]);
  });

  it('is attached when the message is sent, also before a comma', async () => {
    app = await startApp({ log: new TestLog() });
    write('Fix #problems, please');
    await nextTick();
    await app.press('Enter');
    await vi.waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()).toEqual([{ text: 'Fix #problems, please', attachments: [{ kind: 'problems', path: '#problems' }] }]);
  });

  it('finds a file and a folder by their path', async () => {
    app = await startApp({ log: new TestLog() });
    const items = [
      { label: 'price.ts', about: 'src/lib', item: price },
      { label: 'price.ts.map', about: 'src/lib', item: { kind: 'file', path: 'src/lib/price.ts.map' } as const },
    ];
    app.api.completeMention.mockImplementation(async ({ kind }) => ({
      items: kind === 'folder' ? [{ label: 'lib/', about: 'src', item: folder }] : items,
    }));
    await type('#file:src/lib/price.ts ');
    await type('#file:src/lib/price.ts and #folder:src/lib/ ');
    await app.press('Enter');
    expect(sent()).toEqual([{ text: '#file:src/lib/price.ts and #folder:src/lib/', attachments: [price, folder] }]);
  });

  it('stays in the field with a notice when it names nothing, until it is sent again', async () => {
    app = await startApp({ log: new TestLog() });
    write('See #file:src/lib/pr');
    await nextTick();
    await app.press('Enter');
    const notice = '#file:src/lib/pr is not attached: nothing has this name. Press Enter again to send anyway.';
    await vi.waitFor(() => expect(notes().join()).toContain(notice));
    expect(sent()).toEqual([]);
    expect(field().value).toBe('See #file:src/lib/pr');
    await app.press('Enter');
    await vi.waitFor(() => expect(sent()).toEqual([{ text: 'See #file:src/lib/pr', attachments: [] }]));
  });

  it('asks for a choice from the list when several entries match', async () => {
    app = await startApp({ log: new TestLog() });
    const other = { kind: 'file', path: 'lib/price.ts' } as const;
    app.api.completeMention.mockResolvedValue({
      items: [price, other].map((item) => ({ label: 'price.ts', about: '', item })),
    });
    await type('#file:price.ts ');
    expect(notes().join()).toContain(
      '#file:price.ts is not attached: there is more than one match. Choose an entry from the list.',
    );
  });

  it('takes its chip along when the user deletes or replaces it', async () => {
    app = await startApp({ log: new TestLog() });
    await type('See #problems and #changes now');
    await type('See #problems and #changes now ');
    await type('See #problem and #changes now ');
    expect(has(app.root, 'button', 'Remove #problems')).toBe(false);
    expect(has(app.root, 'button', 'Remove #changes')).toBe(true);
    await type('');
    expect(has(app.root, 'button', 'Remove #changes')).toBe(false);
  });

  it('leaves a chip that was attached in another way', async () => {
    app = await startApp({ log: new TestLog() });
    app.port.emit('attach', { items: [{ kind: 'problems', path: '#problems' }] });
    await app.settle();
    await type('See #problems ');
    await type('See ');
    expect(has(app.root, 'button', 'Remove #problems')).toBe(true);
  });

  it('is not sent while the list still searches for it', async () => {
    app = await startApp({ log: new TestLog() });
    app.api.completeMention.mockResolvedValue({ items: [{ label: 'price.ts', about: 'src/lib', item: price }] });
    write('#file:src/lib/pr');
    await nextTick();
    await app.press('Enter');
    await vi.waitFor(() => expect(options()).toEqual(['price.ts']));
    expect(sent()).toEqual([]);
    await app.press('Enter');
    await app.press('Enter');
    expect(sent()).toEqual([{ text: '#price.ts', attachments: [price] }]);
  });

  it('is the selection only if something is selected', async () => {
    app = await startApp({ log: new TestLog() });
    await type('Explain #selection ');
    expect(notes().join()).toContain('#selection is not attached: nothing is selected in the editor.');
    expect(app.api.attachMention).not.toHaveBeenCalled();
  });

  it('is not attached again after its chip was removed', async () => {
    app = await startApp({ log: new TestLog() });
    await type('#problems ');
    get(app.root, 'button', 'Remove #problems').click();
    await app.settle();
    await type('#problems are none ');
    await app.press('Enter');
    expect(sent()).toEqual([{ text: '#problems are none', attachments: [] }]);
  });
});
