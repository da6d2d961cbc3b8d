import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttachmentRef } from '../../src/protocol/entries';
import { image, noTools, startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  vi.unstubAllGlobals();
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
const removable = () =>
  all(app.root, 'button')
    .map(nameOf)
    .filter((name) => name.startsWith('Remove '));
async function write(text: string): Promise<void> {
  field().focus();
  field().value = text;
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}
async function press(name: string): Promise<void> {
  get(app.root, 'button', name).click();
  await app.settle();
}
async function emit(...event: Parameters<TestApp['port']['emit']>): Promise<void> {
  app.port.emit(...event);
  await app.settle();
}

describe('images of a message', () => {
  it('takes images that are pasted or dropped, and says before sending where a model cannot look at them', async () => {
    vi.stubGlobal('createImageBitmap', async () => ({ width: 640, height: 400, close: () => undefined }));
    app = await startApp({ log: new TestLog() });
    const shot = new File([new Uint8Array([1, 2])], 'shot.png', { type: 'image/png' });
    const files = [shot, new File(['text'], 'notes.txt', { type: 'text/plain' })];
    field().dispatchEvent(
      Object.assign(new Event('paste', { bubbles: true, cancelable: true }), { clipboardData: { files, types: ['Files'] } }),
    );
    await app.settle();
    expect(app.api.keepImage).toHaveBeenCalledExactlyOnceWith({ name: 'shot.png', data: btoa('\u0001\u0002') });
    expect(removable()).toEqual(['Remove shot.png']);
    expect(app.root.textContent).toContain('qwen3:14b cannot read images. Choose gemma3:12b, or remove the image.');
    await write('What is it?');
    await app.press('Enter');
    expect(app.api.send).not.toHaveBeenCalled();
    await app.press('Escape');
    await press('Remove shot.png');
    expect(app.root.textContent).not.toContain('cannot look at images');
  });

  it('says why a file is not attached that is no image', async () => {
    app = await startApp({ log: new TestLog() });
    for (const [type, place] of [
      ['paste', 'clipboardData'],
      ['drop', 'dataTransfer'],
    ] as const) {
      const files = [new File(['%PDF'], `${type}.pdf`, { type: 'application/pdf' })];
      const event = new Event(type, { bubbles: true, cancelable: true });
      field().dispatchEvent(Object.assign(event, { [place]: { files, types: ['Files'], getData: () => '' } }));
      await app.settle();
      expect(event.defaultPrevented).toBe(true);
      expect(app.root.textContent).toContain(`${type}.pdf is not an image. To attach a file of the workspace, type #file.`);
    }
    expect(app.api.keepImage).not.toHaveBeenCalled();
  });

  it('sends images with a model that can look at them, and shows them with the message', async () => {
    app = await startApp({ log: new TestLog() });
    const item: AttachmentRef = { kind: 'image', path: 'shot.png', image: image('a') };
    await emit('attach', { items: [item] });
    await emit('models', { models: [tools, noTools], stale: false, selected: { agent: noTools.name, ask: noTools.name } });
    await write('What is it?');
    await app.press('Enter');
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ attachments: [item] }));
    app.wrapper.unmount();
    const log = new TestLog();
    log.add('user_input', 'What is it?', { mode: 'ask', attachments: [item] });
    app = await startApp({ log });
    const shown = get(app.root, 'button', 'Enlarge shot.png');
    expect(shown.querySelector('img')?.getAttribute('src')).toMatch(/^data:image\/png;base64,iVBOR/);
    shown.click();
    await app.settle();
    expect(get(app.root, 'button', 'Shrink shot.png').getAttribute('aria-expanded')).toBe('true');
  });

  it('resends an edited message only to a model that can look at its images', async () => {
    const log = new TestLog();
    log.add('user_input', 'What is it?', { mode: 'ask', attachments: [{ kind: 'image', path: 'shot.png', image: image('a') }] });
    log.add('assistant_output', 'A dot.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    await press('Edit and resend');
    const edit = () => app.root.querySelector('.edit') as Element;
    expect(edit().textContent).toContain('qwen3:14b cannot read images. Choose gemma3:12b, then send again.');
    get(app.root, 'textbox', 'Edit message').focus();
    await app.press('Enter');
    expect(app.api.resend).not.toHaveBeenCalled();
    await app.press('Escape');
    await emit('models', { models: [tools, noTools], stale: false, selected: { agent: noTools.name, ask: noTools.name } });
    expect(edit().textContent).not.toContain('cannot read images');
    get(app.root, 'textbox', 'Edit message').focus();
    await app.press('Enter');
    expect(app.api.resend).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ seq: 1, model: noTools.name }));
  });
});
