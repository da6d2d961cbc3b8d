import { afterEach, describe, expect, it, vi } from 'vitest';
import { placeNamed } from '../../src/webview/markdown/decorate';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { show } from './support/markdown';
import { all, get, nameOf } from './support/roles';

let app: TestApp | undefined;
afterEach(() => {
  app?.wrapper.unmount();
  app = undefined;
  document.body.replaceChildren();
});

/** Shows an answer in a workspace that has these files. */
async function answer(text: string, files: readonly string[]): Promise<TestApp> {
  const log = new TestLog();
  log.user('Where?');
  log.add('assistant_output', text, { end: 'complete' });
  log.add('run_end', '', { outcome: 'done' });
  const started = (app = await startApp({ log, ready: { sessionId: null } }));
  started.api.findFiles.mockImplementation(async ({ paths }) => ({
    found: paths.map((path) => files.find((file) => file === path) ?? null),
  }));
  started.port.emit('navigate', { page: 'chat', sessionId: log.sessionId });
  await started.settle();
  await vi.waitFor(() => expect(started.api.findFiles).toHaveBeenCalled());
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
