import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { OllamaDouble } from '../support/ollama/double';
import { hold } from '../support/ollama/doubleReply';
import { perfectMiddle } from '../support/ollama/fimReply';
import { eventually } from '../support/until';
import { ChatPage } from './chatPage';
import { thinker } from './scripts';
import { untilOnDisk } from './support/disk';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

const coder = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' };
const whole = 'export function add(a: number, b: number): number {\n    return a + b;\n}\n';

describe('Suggestions while typing', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const file = (name: string): string => path.join(workbench.folder, 'src', name);
  const ghost = (): Locator =>
    workbench.page.locator('.ghost-text-decoration, .ghost-text-decoration-preview, .ghost-text').first();
  const asked = (): number => double.requestsTo('/api/generate').length;

  before(async () => {
    double = await OllamaDouble.start({ models: [thinker, coder] });
    double.onGenerate((request) => perfectMiddle(request, [whole]));
    workbench = await Workbench.start({
      settings: {
        'ollamaCopilot.baseUrl': double.url,
        'ollamaCopilot.completionMode.model': coder.name,
        'ollamaCopilot.completionMode.inComments': false,
        // The suggestion list would handle Tab itself.
        'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
      },
    });
    for (const name of ['first.ts', 'second.ts', 'third.ts'])
      await writeFile(file(name), whole.replace('    return a + b;\n', ''));
    // The extension starts shortly after the window.
    await workbench.page.getByRole('button', { name: /^Ollama Copilot: Suggestions/ }).waitFor();
    chat = new ChatPage(() => workbench.view, workbench.page);
  });
  after(async () => {
    await workbench?.close();
    await double?.close();
  });

  /** Opens a file without the middle part of its text and places the cursor there. */
  async function begin(name: string): Promise<void> {
    await workbench.openFile(name);
    await workbench.clickLine('export', `.monaco-editor[data-uri$="${name}"]`);
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.press('Enter');
  }

  /** Waits until the inline suggestion matches. */
  function untilGrey(expected: RegExp): Promise<void> {
    return eventually(async () => {
      const parts = await workbench.page.locator('.ghost-text-decoration').allInnerTexts();
      assert.match(parts.join('').replaceAll('\u00a0', ' '), expected);
    });
  }

  /** Saves the file and waits until it has this text on disk. Fails with the actual text. */
  async function saveAs(name: string, text: string): Promise<void> {
    await workbench.page.keyboard.press('Control+S');
    await untilOnDisk(file(name), text);
  }

  it('first hour 18: grey text appears at the cursor, and Tab takes it', async () => {
    await begin('first.ts');
    await workbench.page.keyboard.type('re', { delay: 120 });
    await ghost().waitFor();
    await untilGrey(/turn a \+ b;/);
    const before = asked();
    await workbench.page.keyboard.type('tur', { delay: 120 });
    await untilGrey(/(?<!tur)n a \+ b;/);
    assert.equal(asked(), before);
    await workbench.page.keyboard.press('Tab');
    await saveAs('first.ts', whole);
  });

  it('first hour 18: Ctrl+→ takes a word; nothing comes in a comment that is left out, nor beside the list of words', async () => {
    const { keyboard } = workbench.page;
    await begin('third.ts');
    const prompts = (): string[] => double.requestsTo('/api/generate').map(({ rawBody }) => rawBody);
    await keyboard.type('// unasked', { delay: 60 });
    await keyboard.press('Enter');
    await keyboard.type('ad');
    await keyboard.press('Control+Space');
    const words = workbench.page.locator('.suggest-widget.visible');
    await words.getByRole('option', { name: /^add/ }).first().waitFor();
    await keyboard.type('d', { delay: 120 });
    const added = workbench.page.locator('.monaco-editor[data-uri$="third.ts"] .view-line').filter({ hasText: /^\s*add$/ });
    await added.waitFor();
    await expect(words).toBeVisible();
    await expect(ghost()).toHaveCount(0);
    assert.deepEqual(
      prompts().filter((body) => body.includes(' add<|fim_suffix|>')),
      [],
    );
    await keyboard.press('Escape');
    await words.waitFor({ state: 'hidden' });
    // Deletes the lines one by one until the gap is restored.
    await keyboard.press('Control+Shift+K');
    await keyboard.press('ArrowUp');
    await keyboard.press('Control+Shift+K');
    await keyboard.press('Control+Home');
    await keyboard.press('End');
    await keyboard.press('Enter');
    await keyboard.type('re', { delay: 120 });
    await ghost().waitFor();
    assert.deepEqual(
      prompts().filter((body) => /\/\/ ?[a-z]*<\|fim_suffix\|>/.test(body)),
      [],
    );
    await keyboard.press('Control+ArrowRight');
    await saveAs('third.ts', whole.replace('return a + b;', 'return'));
  });

  it('chat runs beside it on another model, and neither waits for a reload', async () => {
    await workbench.openChat();
    await chat.pickMode('Ask');
    await chat.pickModel(thinker.name);
    const { step, release } = hold();
    double.script.push({ when: ({ kind }) => kind === 'chat', steps: ['Working on it', step, ' and done.'] });
    await chat.send('Take your time');
    await chat.conversation.getByText('Working on it').waitFor();
    await workbench.page.getByRole('tab', { name: 'first.ts' }).click();
    await begin('second.ts');
    await workbench.page.keyboard.type('ret', { delay: 120 });
    await ghost().waitFor();
    await workbench.page.keyboard.press('Tab');
    await saveAs('second.ts', whole);
    release();
    await chat.conversation.getByText('and done.').waitFor();
    await chat.settled();
    const loads = double.loads.map(({ model }) => model);
    assert.deepEqual([...loads].sort(), [coder.name, thinker.name].sort());
  });

  it('the status bar says how suggestions stand, and snoozes them', async () => {
    const item = workbench.page.getByRole('button', { name: /^Ollama Copilot: Suggestions from qwen/ });
    await item.click();
    await workbench.page.getByRole('option', { name: /Snooze for 5 minutes/ }).click();
    await workbench.page.getByRole('button', { name: /^Ollama Copilot: Suggestions are snoozed until/ }).waitFor();
  });
});
