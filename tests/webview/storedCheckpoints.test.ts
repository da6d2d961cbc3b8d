import { afterEach, describe, expect, it } from 'vitest';
import { RequestFailure } from '../../src/protocol/rpc';
import { settings, startApp, stored, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

async function open(options: Parameters<typeof startApp>[0] = {}): Promise<void> {
  app = await startApp(options);
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  await press('tab', 'Checkpoints');
}

async function press(role: string, name: string): Promise<void> {
  get(app.root, role, name).click();
  await app.settle();
}

const panel = () => get(app.root, 'tabpanel');
const said = () => all(panel(), 'status').map(spokenText).join(' ').trim();
const isOff = (name: string) => (get(app.root, 'button', name) as HTMLButtonElement).disabled;

describe('what checkpoints have stored', () => {
  it('is shown with the room that it takes, and what each chat keeps', async () => {
    await open({ stored });
    expect(spokenText(panel())).toContain('1.2 GB of 5.0 GB on disk · 15 checkpoints · 1,200 file contents');
    const meter = get(app.root, 'meter', 'Disk space used');
    expect([meter.getAttribute('aria-valuenow'), meter.getAttribute('aria-valuetext')]).toEqual([
      '24',
      '1.2 GB of 5.0 GB on disk',
    ]);
    expect(all(get(app.root, 'list', 'Stored by chat'), 'listitem').map(spokenText)).toEqual([
      'Sign-up form 2.1 GB 14 checkpoints · 200 MB only in this chat',
      'Untitled 1.9 GB 1 checkpoint · all shared with other chats',
    ]);
    expect(has(app.root, 'button', 'Delete oldest approved…')).toBe(false);
  });

  it('is measured when it is looked at, and again when the limit has changed', async () => {
    app = await startApp();
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    expect(app.api.readCheckpointStorage).not.toHaveBeenCalled();
    await press('tab', 'Checkpoints');
    expect(app.api.readCheckpointStorage).toHaveBeenCalledOnce();
    const list = settings.settings.map((one) => (one.key === 'checkpoints.maxStorageMB' ? { ...one, value: 900 } : one));
    app.port.emit('settings', { ...settings, settings: list });
    await app.settle();
    expect(app.api.readCheckpointStorage).toHaveBeenCalledTimes(2);
  });

  it('shows few chats first, all on demand', async () => {
    const sessions = Array.from({ length: 12 }, (_, index) => ({
      sessionId: String(index),
      title: `Chat ${index}`,
      checkpoints: 2,
      bytes: 100 - index,
      ownBytes: 1,
    }));
    await open({ stored: { ...stored, sessions } });
    expect(all(get(app.root, 'list', 'Stored by chat'), 'listitem')).toHaveLength(8);
    await press('button', 'Show all 12 chats');
    expect(all(get(app.root, 'list', 'Stored by chat'), 'listitem')).toHaveLength(12);
  });

  it('lists the checkpoints of a chat, each of which can be deleted, but for approved states', async () => {
    await open();
    await press('button', 'Sign-up form');
    expect(app.api.listStoredCheckpoints).toHaveBeenCalledExactlyOnceWith({ sessionId: 'a' });
    const rows = () => all(get(app.root, 'list', 'Checkpoints of this chat'), 'listitem');
    expect(rows().map(spokenText)).toEqual([
      expect.stringMatching(/^Before message: Add tests /),
      expect.stringMatching(/^Initial state .* approved, kept$/),
    ]);
    expect(spokenText(panel())).toContain('and 12 more');
    const [button, ...others] = all(panel(), 'button').filter((one) => nameOf(one).startsWith('Delete checkpoint'));
    expect([nameOf(button as HTMLElement), others]).toEqual([
      expect.stringMatching(/^Delete checkpoint “Before message: Add tests”, .*2026/),
      [],
    ]);

    button?.click();
    await app.settle();
    expect(app.api.removeCheckpoint).toHaveBeenCalledExactlyOnceWith({ id: 'ckpt_2' });
    // The user declined.
    expect([said(), rows().length]).toEqual(['', 2]);
    app.api.removeCheckpoint.mockResolvedValueOnce({ removed: 1, bytes: 2e6 });
    app.api.listStoredCheckpoints.mockResolvedValueOnce({ checkpoints: [], more: 0 });
    button?.click();
    await app.settle();
    expect([said(), rows()]).toEqual(['Deleted 1 checkpoint and freed 2.0 MB.', []]);
    expect(document.activeElement).toBe(get(app.root, 'list', 'Checkpoints of this chat'));
    await press('button', 'Sign-up form');
    expect(has(app.root, 'list', 'Checkpoints of this chat')).toBe(false);
  });

  it('says in one line what a checkpoint does not hold, and why on demand', async () => {
    await open();
    const files = [
      { path: 'a.mp4', reason: 'tooLarge' as const },
      { path: 'server.db', reason: 'unstable' as const },
      { path: 'keys', reason: 'unreadable' as const },
      { path: 'b.mp4', reason: 'tooLarge' as const },
      { path: 'f\uFFFDo', reason: 'name' as const },
    ];
    const leftOut = { count: 8, unstableCount: 2, files };
    const one = { id: 'ckpt_1', title: 'One', createdAt: 0, isApproved: false, leftOut };
    app.api.listStoredCheckpoints.mockResolvedValueOnce({ checkpoints: [one], more: 0 });
    await press('button', 'Sign-up form');
    const line = '6 files are not in this checkpoint · 2 files changed while the checkpoint was created';
    const list = () => spokenText(get(app.root, 'list', 'Checkpoints of this chat'));
    expect(list()).toMatch(new RegExp(`^One .* ${line}$`));
    await press('button', line);
    expect(list()).toMatch(
      /Larger than .*increase “Maximum file size” in the settings, under Checkpoints\. a\.mp4 b\.mp4 Could not be read\..* keys These file names are not valid UTF-8\..* f\uFFFDo Changed while being read.* server\.db and 3 more$/,
    );
    await press('button', line);
    expect(list()).not.toContain('a.mp4');
  });

  it('says where the checkpoints of a chat cannot be read', async () => {
    await open();
    app.api.listStoredCheckpoints.mockRejectedValueOnce(new RequestFailure('io', 'The disk cannot be read.'));
    await press('button', 'Sign-up form');
    expect(said()).toBe('The disk cannot be read.');
    expect(get(app.root, 'button', 'Sign-up form').getAttribute('aria-expanded')).toBe('false');
  });

  it('is verified and collected, and says what came of it', async () => {
    await open();
    await press('button', 'Verify');
    expect(said()).toBe('No problems found in 1,200 file contents.');
    app.api.verifyStorage.mockResolvedValueOnce({
      objects: 9,
      damaged: 2,
      hasFlaws: true,
      files: ['src/a.ts', 'b.ts'],
      moreFiles: 3,
    });
    await press('button', 'Verify');
    expect(said()).toContain('2 file versions are damaged or missing.');
    expect(said()).toContain('src/a.ts b.ts and 3 more');
    app.api.healStorage.mockResolvedValueOnce({ healed: 1, left: 1 });
    await press('button', 'Repair from workspace files');
    expect(said()).toContain('Repaired 1 file contents. 1 are in no workspace file');
    expect(has(app.root, 'button', 'Repair from workspace files')).toBe(false);
    await press('button', 'Clean up checkpoints');
    expect(said()).toBe('There is nothing to clean up.');
    app.api.collectGarbage.mockResolvedValueOnce({ bytes: 3e6 });
    await press('button', 'Clean up checkpoints');
    expect(said()).toBe('Freed 3.0 MB.');
    expect(app.api.readCheckpointStorage).toHaveBeenCalledTimes(3);
  });

  it('has one thing done to it at a time, and says while it is', async () => {
    await open();
    let finish = (_result: { bytes: number }): void => undefined;
    app.api.collectGarbage.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
    await press('button', 'Clean up checkpoints');
    expect(said()).toBe('Cleaning up checkpoints…');
    expect(['Verify', 'Clean up checkpoints', 'Delete old checkpoints…'].map(isOff)).toEqual([true, true, true]);
    finish({ bytes: 0 });
    await app.settle();
    expect(['Verify', 'Clean up checkpoints', 'Delete old checkpoints…'].map(isOff)).toEqual([false, false, false]);
  });

  it('says why something did not work, and lets it be tried again', async () => {
    await open();
    app.api.collectGarbage.mockRejectedValueOnce(new RequestFailure('full', 'The disk is full.'));
    await press('button', 'Clean up checkpoints');
    expect(said()).toBe('The disk is full.');
    app.api.readCheckpointStorage.mockRejectedValueOnce(new Error('No'));
    await press('button', 'Clean up checkpoints');
    expect(spokenText(get(app.root, 'alert'))).toContain('Could not read the stored checkpoints.');
    await press('button', 'Try again');
    expect(has(app.root, 'meter', 'Disk space used')).toBe(true);
  });

  it('loses what is older than so many days', async () => {
    await open();
    const field = get(app.root, 'textbox', 'Minimum age in days') as HTMLInputElement;
    const enter = async (value: string) => {
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await app.settle();
    };
    for (const wrong of ['', '0', '-3', '1.5', 'x', '99999']) {
      await enter(wrong);
      expect([wrong, isOff('Delete old checkpoints…'), field.getAttribute('aria-invalid')]).toEqual([wrong, true, 'true']);
    }
    await app.press('Enter', {}, field);
    expect(app.api.removeOldCheckpoints).not.toHaveBeenCalled();
    await enter('90');
    await press('button', 'Delete old checkpoints…');
    expect(app.api.removeOldCheckpoints).toHaveBeenCalledExactlyOnceWith({ days: 90 });
    // The user declined.
    expect(said()).toBe('');
    app.api.removeOldCheckpoints.mockResolvedValueOnce({ removed: 0, originals: 0, bytes: 0 });
    await press('button', 'Delete old checkpoints…');
    expect(said()).toBe('No checkpoint of that age can be deleted.');
    app.api.removeOldCheckpoints.mockResolvedValueOnce({ removed: 1, originals: 0, bytes: 2e6 });
    await app.press('Enter', {}, field);
    expect(said()).toBe('Deleted 1 checkpoint and freed 2.0 MB.');
  });

  it('says when it takes more than is allowed, and offers the oldest of approved work', async () => {
    await open({ stored: { ...stored, bytes: 6e9 } });
    expect(spokenText(panel())).toContain('Checkpoints exceed the disk space limit. Nothing is deleted automatically.');
    expect(get(app.root, 'meter', 'Disk space used').getAttribute('aria-valuenow')).toBe('100');
    app.api.makeRoom.mockResolvedValueOnce({ removed: 4, originals: 0, bytes: 5e8, isEnough: false });
    await press('button', 'Delete oldest approved…');
    expect(said()).toBe(
      'Deleted 4 checkpoints and freed 500 MB. Checkpoints still exceed the limit. Nothing else can be deleted automatically.',
    );
  });

  it('offers nothing where no work is approved', async () => {
    await open({ stored: { ...stored, bytes: 6e9, approved: { count: 0, oldest: null } } });
    expect(spokenText(panel())).toContain(
      'Deleting checkpoints of approved work would not free any space. Delete old checkpoints or raise the limit.',
    );
    expect(has(app.root, 'button', 'Delete oldest approved…')).toBe(false);
  });

  it('tells of how many kept files the originals are held, and offers to free them', async () => {
    await open({ stored: { ...stored, bytes: 6e9, approved: { count: 0, oldest: null }, originals: 3 } });
    expect(spokenText(panel())).toContain('The previous contents of 3 kept files are stored, so that you can undo Keep.');
    app.api.makeRoom.mockResolvedValueOnce({ removed: 0, originals: 3, bytes: 5e8, isEnough: true });
    await press('button', 'Delete oldest approved…');
    expect(said()).toBe('Freed 500 MB.');
  });

  it('says when there is nothing yet', async () => {
    await open({ stored: { ...stored, bytes: 0, objects: 0, checkpoints: 0, sessions: [] } });
    expect(spokenText(panel())).toContain('No checkpoints yet. The first message of a chat creates one.');
    expect(all(panel(), 'button').map(nameOf)).not.toContain('Verify');
  });
});
