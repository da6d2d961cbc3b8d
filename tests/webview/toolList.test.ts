import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { all, get, has } from './support/roles';

const tools = [
  { name: 'read_file', title: 'read_file', tokens: 120, isOn: true },
  { name: 'files__search', title: 'search', tokens: 1080, isOn: false },
];
let app: TestApp;
afterEach(() => app?.wrapper.unmount());

const open = async () => {
  app = await startApp({ tools });
  get(app.root, 'button', 'Tools').click();
  await app.settle();
};

describe('the list of tools', () => {
  it('says what is on and what that costs, and opens to each of them', async () => {
    await open();
    get(app.root, 'button', '1 of 2 tools on, about 120 tokens').click();
    await app.settle();
    const group = get(app.root, 'group', 'Tools available to the model');
    expect((get(group, 'checkbox', 'read_file') as HTMLInputElement).checked).toBe(true);
    expect(group.textContent).toContain('about 1,080 tokens');
  });

  it('counts the tools that are sent as the context meter does, and says why others are not', async () => {
    await open();
    const read = (name: string, isOn = true) => ({ name, title: name, tokens: 100, isOn });
    app.api.listTools.mockResolvedValue({
      tools: [read('read_file'), read('run_tests'), read('apply_patch'), read('rename_file'), read('off', false)],
    });
    app.port.emit('context', {
      model: 'small:1b',
      window: 4096,
      loaded: null,
      used: 900,
      isMeasured: true,
      reused: null,
      instructions: [],
      tools: { sent: ['read_file'], loadable: ['rename_file'], leftOut: ['run_tests'] },
      parts: [{ kind: 'tools', tokens: 120 }],
    });
    get(app.root, 'button', 'Tools').click();
    await app.settle();
    get(app.root, 'button', 'Tools').click();
    await app.settle();
    get(app.root, 'button', '1 of 5 tools sent, about 120 tokens').click();
    await app.settle();
    const boxes = all(get(app.root, 'group', 'Tools available to the model'), 'checkbox');
    const about = (box: Element) => document.getElementById(box.getAttribute('aria-describedby') ?? '')?.textContent;
    expect(boxes.map(about)).toEqual([
      'about 120 tokens',
      'about 120 tokens, left out because the context window is small',
      'about 120 tokens, currently not sent in this chat',
      'about 120 tokens, loaded when the model needs it',
      'about 120 tokens',
    ]);
  });

  it('switches one, and reads the list again', async () => {
    await open();
    get(app.root, 'button', '1 of 2 tools on, about 120 tokens').click();
    await app.settle();
    app.api.listTools.mockResolvedValue({ tools: tools.map((tool) => ({ ...tool, isOn: true })) });
    get(app.root, 'checkbox', 'files__search').click();
    await app.settle();
    expect(app.api.setToolOn).toHaveBeenCalledExactlyOnceWith({ name: 'files__search', isOn: true });
    expect(has(app.root, 'button', '2 of 2 tools on, about 1,200 tokens')).toBe(true);
  });
});
