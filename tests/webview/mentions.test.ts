import { afterEach, describe, expect, it } from 'vitest';
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
async function type(text: string): Promise<void> {
  field().focus();
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
  // The list waits for a pause before it asks for files.
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
      ...{ sessionId: 's1', text: 'Explain #app.ts', mode: 'agent', model: tools.name },
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
});
