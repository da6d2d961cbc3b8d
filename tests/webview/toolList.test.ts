import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { get, has } from './support/roles';

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
    const group = get(app.root, 'group', 'Tools that the model is told of');
    expect((get(group, 'checkbox', 'read_file') as HTMLInputElement).checked).toBe(true);
    expect(group.textContent).toContain('about 1,080 tokens');
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
