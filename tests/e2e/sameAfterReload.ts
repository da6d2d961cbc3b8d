import assert from 'node:assert/strict';
import { eventually } from '../support/until';
import type { ChatPage } from './chatPage';
import type { EditorWindow } from './support/editorWindow';

/** The live conversation and the one restored from the log are the same, word for word; answers what both say. */
export async function assertSameAfterReload(window: EditorWindow, chat: ChatPage): Promise<string> {
  // The buttons of checkpoints wait until a restore that has just ended is told to the view.
  await chat.articles('You').locator('button:disabled').first().waitFor({ state: 'detached' });
  // What waits to be kept is compared with the disk after a change, and shown then.
  let live = await chat.everything();
  for (let before = ''; live !== before; live = await chat.everything()) {
    before = live;
    await window.page.waitForTimeout(100);
  }
  const articles = await chat.articles('Assistant').count();
  // A busy machine takes longer for it than a reload waits.
  await window.untilStored('ollamaCopilot.lastSession');
  await window.reloadWindow();
  await window.openChat();
  await chat
    .articles('Assistant')
    .nth(articles - 1)
    .waitFor();
  await eventually(async () => assert.equal(await chat.everything(), live));
  return live;
}
