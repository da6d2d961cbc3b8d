import assert from 'node:assert/strict';
import { eventually } from '../support/until';
import type { ChatPage } from './chatPage';
import type { EditorWindow } from './support/editorWindow';

/** Asserts that the live conversation and the conversation restored from the log have the same text. Returns the text. */
export async function assertSameAfterReload(window: EditorWindow, chat: ChatPage): Promise<string> {
  // The checkpoint buttons are disabled until the view is notified that a restore has finished.
  await chat.articles('You').locator('button:disabled').first().waitFor({ state: 'detached' });
  // After a change, pending changes are compared with the disk before they are shown.
  let live = await chat.everything();
  for (let before = ''; live !== before; live = await chat.everything()) {
    before = live;
    await window.page.waitForTimeout(100);
  }
  const articles = await chat.articles('Assistant').count();
  // On a busy machine, storing takes longer than a reload waits.
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
