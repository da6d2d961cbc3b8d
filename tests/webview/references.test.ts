import { afterEach, describe, expect, it, vi } from 'vitest';
import { effectScope, nextTick, ref } from 'vue';
import { referencesIn } from '../../src/webview/composer/references/referencesIn';
import { useResolvedSend } from '../../src/webview/composer/references/useResolvedSend';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has } from './support/roles';

let app: TestApp;
afterEach(() => {
  app?.wrapper.unmount();
  document.body.replaceChildren();
  vi.useRealTimers();
});

const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
async function write(text: string): Promise<void> {
  field().focus();
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await nextTick();
}
const notes = () =>
  all(app.root, 'status')
    .map((note) => note.textContent)
    .join(' ');
const sent = () => app.api.send.mock.calls.map(([{ text }]) => text);
const again = 'Press Enter again to send anyway.';
const isMissing = (name: string) => `${name} is not attached: nothing has this name. ${again}`;

describe('references in a text', () => {
  const found = (text: string) => referencesIn(text).map((reference) => reference.text);

  it('are those of this view and those that other assistants resolve', () => {
    expect(found('#problems #File:x #file:a.ts, (#selection) @workspace: @vscode #fetch! #editor: #sym:add #githubRepo')).toEqual(
      [
        ...[
          '#problems',
          '#File:x',
          '#file:a.ts',
          '#selection',
          '@workspace',
          '@vscode',
          '#fetch',
          '#editor',
          '#sym:add',
          '#githubRepo',
        ],
      ],
    );
  });

  it('are not issues, headings, colours, decorators, names and directives', () => {
    const text = `# editor
#123 C# #include <a.h> #fff #foo #new #define me@vscode.org @param @Component @Terminal() @vscode/codicons '@vscode' a#editor`;
    expect(found(text)).toEqual([]);
  });

  it('are not in code', () => {
    expect(found('a `#problems` and ``x ` @vscode`` but #changes')).toEqual(['#changes']);
    expect(found('See\n```sh\n# x\n@vscode #problems\n```\n#terminal')).toEqual(['#terminal']);
    expect(found('~~~\n#problems\n')).toEqual([]);
    expect(found('a ` alone #problems')).toEqual(['#problems']);
  });
});

describe('a reference that names nothing', () => {
  it('is reported before sending, each by its name', async () => {
    app = await startApp({ log: new TestLog() });
    await write('Ask @vscode about #fetch ');
    const text = 'this reference does not exist here.';
    await vi.waitFor(() =>
      expect(notes()).toContain(`@vscode is not attached: ${text} #fetch is not attached: ${text} ${again}`),
    );
    await app.press('Enter');
    expect(sent()).toEqual(['Ask @vscode about #fetch']);
  });

  it('holds the message when it is sent at once', async () => {
    app = await startApp({ log: new TestLog() });
    await write('How do I zoom, @vscode?');
    await app.press('Enter');
    expect(notes()).toContain('@vscode is not attached');
    expect([sent(), field().value]).toEqual([[], 'How do I zoom, @vscode?']);
    await app.press('Enter');
    expect(sent()).toEqual(['How do I zoom, @vscode?']);
  });

  it('is reported also if another one was reported before', async () => {
    app = await startApp({ log: new TestLog() });
    let answer = (): void => undefined;
    app.api.completeMention.mockReturnValue(new Promise((resolve) => (answer = () => resolve({ items: [] }))));
    await write('#selection ');
    await vi.waitFor(() => expect(notes()).toContain('#selection is not attached'));
    await write('#selection #file:src/wrong.ts ');
    await app.press('Enter');
    answer();
    await app.settle();
    expect(notes()).toContain(isMissing('#file:src/wrong.ts'));
    expect(sent()).toEqual([]);
    await app.press('Enter');
    expect(sent()).toEqual(['#selection #file:src/wrong.ts']);
  });

  it('is reported also if an entry is chosen from the list meanwhile', async () => {
    app = await startApp({ log: new TestLog() });
    let answer = (): void => undefined;
    app.api.completeMention.mockImplementation(async ({ kind }) => {
      if (kind === 'file') await new Promise<void>((resolve) => (answer = resolve));
      return { items: kind === 'file' ? [] : [{ label: 'app.ts', about: 'src', item: { kind: 'file', path: 'src/app.ts' } }] };
    });
    await write('#file:src/wrong.ts ');
    await write('#file:src/wrong.ts #app');
    await vi.waitFor(() => expect(has(app.root, 'option', 'app.ts')).toBe(true));
    await app.press('Enter');
    expect(field().value).toBe('#file:src/wrong.ts #app.ts ');
    await app.press('Enter');
    answer();
    await app.settle();
    expect(notes()).toContain(isMissing('#file:src/wrong.ts'));
    expect(sent()).toEqual([]);
  });

  it('is the selection chosen from the list while nothing is selected', async () => {
    app = await startApp({ log: new TestLog() });
    await write('Explain #sel');
    await vi.waitFor(() => expect(has(app.root, 'option', '#selection')).toBe(true));
    await app.press('Enter');
    expect(notes()).toContain('#selection is not attached: nothing is selected in the editor.');
    app.port.emit('inEditor', {
      items: [{ item: { kind: 'selection', path: 'src/app.ts', startLine: 2, endLine: 4 }, isSent: true }],
    });
    await app.settle();
    expect(notes()).not.toContain('not attached');
    await app.press('Enter');
    await vi.waitFor(() => expect(sent()).toEqual(['Explain #selection']));
    expect(app.api.attachMention).toHaveBeenCalledExactlyOnceWith({ item: null });
  });

  it('holds the message if the extension refuses its item', async () => {
    app = await startApp({ log: new TestLog() });
    const problem = 'The file src/old.ts no longer exists.';
    app.api.completeMention.mockResolvedValue({
      items: [{ label: 'old.ts', about: 'src', item: { kind: 'file', path: 'src/old.ts' } }],
    });
    app.api.attachMention.mockResolvedValue({ items: [], problems: [problem] });
    await write('See #file:src/old.ts now');
    await app.press('Enter');
    await vi.waitFor(() => expect(get(app.root, 'alert').textContent).toContain(problem));
    expect(sent()).toEqual([]);
    await app.press('Enter');
    expect(sent()).toEqual(['See #file:src/old.ts now']);
  });
});

describe('a list closed with Escape', () => {
  it('does not stop the message while it searches', async () => {
    app = await startApp({ log: new TestLog() });
    await write('Fix #problems');
    await app.press('Escape');
    await app.press('Enter');
    await vi.waitFor(() => expect(sent()).toEqual(['Fix #problems']));
  });
});

describe('a reference without content', () => {
  it('is reported before sending', async () => {
    app = await startApp({ log: new TestLog() });
    app.api.attachMention.mockImplementation(async ({ item }) => ({
      items: item === null ? [] : [item],
      problems: [],
      ...(item?.kind !== 'workspace' && { isEmpty: true }),
    }));
    await write('#codebase #problems #changes #terminal now');
    await app.press('Enter');
    await vi.waitFor(() =>
      expect(notes()).toContain(
        [
          '#problems: no errors or warnings now.',
          '#changes: no uncommitted changes now.',
          '#terminal: no command output was recorded yet.',
          again,
        ].join(' '),
      ),
    );
    expect(sent()).toEqual([]);
    get(app.root, 'button', 'Remove #terminal').click();
    await app.settle();
    expect(notes()).not.toContain('#terminal:');
    await app.press('Enter');
    expect(sent()).toEqual(['#codebase #problems #changes #terminal now']);
    expect(notes()).not.toContain('#problems');
  });
});

describe('several problems with references', () => {
  it('are reported with one closing sentence', async () => {
    app = await startApp({ log: new TestLog() });
    app.api.attachMention.mockImplementation(async ({ item }) => ({
      items: item === null ? [] : [item],
      problems: [],
      isEmpty: true,
    }));
    await write('#selection #file:nope.ts #fetch #changes now');
    await app.press('Enter');
    await vi.waitFor(() => expect(notes()).toContain('#changes:'));
    const about = notes().slice(notes().indexOf('#selection'));
    expect(about.trim()).toBe(
      [
        '#selection is not attached: nothing is selected in the editor.',
        '#file:nope.ts is not attached: nothing has this name.',
        '#fetch is not attached: this reference does not exist here.',
        '#changes: no uncommitted changes now.',
        again,
      ].join(' '),
    );
  });
});

describe('the note about a reference without content', () => {
  it('disappears when the user returns with some', async () => {
    app = await startApp({ log: new TestLog() });
    const item = { kind: 'terminal', path: '#terminal' } as const;
    app.api.attachMention.mockResolvedValueOnce({ items: [item], problems: [], isEmpty: true });
    await write('Explain #terminal ');
    await vi.waitFor(() => expect(notes()).toContain('#terminal: no command output'));
    field().blur();
    field().focus();
    await vi.waitFor(() => expect(notes()).not.toContain('#terminal:'));
    expect(has(app.root, 'button', 'Remove #terminal')).toBe(true);
  });
});

describe('sending while references are looked up', () => {
  function startSend() {
    vi.useFakeTimers();
    const draft = ref('#file:a.ts');
    const unknown = ref<string[]>([]);
    const send = vi.fn();
    let isNew = true;
    let answer = (): void => undefined;
    const lookup = new Promise<void>((resolve) => (answer = resolve));
    const references = {
      unknown,
      hasNew: () => isNew,
      resolve: () => lookup,
      giveUp: () => {
        if (isNew) unknown.value = [draft.value];
        isNew = false;
      },
    };
    const search = new Promise<boolean>(() => undefined);
    const composed = effectScope().run(() =>
      useResolvedSend(references as never, {
        draft: () => draft.value,
        searched: () => (draft.value === 'list' ? search : null),
        send,
      }),
    );
    if (composed === undefined) throw new Error('No scope');
    const found = (): void => {
      isNew = false;
      answer();
    };
    return { ...composed, draft, unknown, send, found };
  }

  it('waits for the answer', async () => {
    const { sendResolved, hint, send, found } = startSend();
    const sending = sendResolved();
    await vi.advanceTimersByTimeAsync(1000);
    expect([hint.value, send.mock.calls.length]).toEqual(['Looking up references… Press Esc to cancel sending.', 0]);
    found();
    await sending;
    expect([hint.value, send.mock.calls.length]).toEqual([null, 1]);
  });

  it('reports a reference whose search does not end, then sends without it', async () => {
    const { sendResolved, send, unknown } = startSend();
    void sendResolved();
    await vi.runAllTimersAsync();
    expect([unknown.value, send.mock.calls.length]).toEqual([['#file:a.ts'], 0]);
    await sendResolved();
    expect(send).toHaveBeenCalledOnce();
  });

  it('does not wait twice for a list whose search does not end', async () => {
    const { sendResolved, send, draft, unknown } = startSend();
    draft.value = 'list';
    void sendResolved();
    await vi.runAllTimersAsync();
    expect([unknown.value, send.mock.calls.length]).toEqual([['list'], 0]);
    await sendResolved();
    expect(send).toHaveBeenCalledOnce();
  });

  it('ends when the user cancels or edits the message', async () => {
    const { sendResolved, cancel, send, draft, found } = startSend();
    void sendResolved();
    expect(cancel()).toBe(true);
    void sendResolved();
    draft.value += ' more';
    expect(cancel()).toBe(false);
    found();
    await vi.runAllTimersAsync();
    expect(send).not.toHaveBeenCalled();
  });
});
