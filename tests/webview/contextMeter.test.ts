import { afterEach, describe, expect, it } from 'vitest';
import type { ContextUse } from '../../src/protocol/contextUse';
import { contextNotes, contextRows, contextSummary } from '../../src/webview/composer/pickers/contextText';
import { startApp, type TestApp } from './support/fakeHost';
import { get, has } from './support/roles';

const use: ContextUse = {
  model: 'qwen3:14b',
  window: 32_768,
  loaded: { window: 32_768, gpuShare: 1 },
  used: 12_424,
  isMeasured: true,
  reused: null,
  instructions: [],
  tools: { sent: [], loadable: [], leftOut: [] },
  parts: [
    { kind: 'system', tokens: 640 },
    { kind: 'tools', tokens: 1000 },
    { kind: 'instructions', tokens: 200 },
    { kind: 'attachments', tokens: 0 },
    { kind: 'history', tokens: 5512 },
    { kind: 'toolResults', tokens: 5072 },
  ],
};

let app: TestApp;
afterEach(() => app?.wrapper.unmount());

const started = async (context: ContextUse | null = use) => {
  app = await startApp();
  app.port.emit('context', context);
  await app.settle();
};

describe('the context meter', () => {
  it('is a meter named Context used that says its numbers in words', async () => {
    await started();
    const meter = get(app.root, 'meter', 'Context used');
    expect(['valuemin', 'valuenow', 'valuemax', 'valuetext'].map((name) => meter.getAttribute(`aria-${name}`))).toEqual([
      ...['0', '12424', '32768', '12.4k of 32k tokens'],
    ]);
    app.port.emit('context', { ...use, used: 40_000 });
    await app.settle();
    expect(get(app.root, 'meter', 'Context used').getAttribute('aria-valuenow')).toBe('32768');
  });

  it('lists the instructions that are in the prompt, and says which are not', async () => {
    await started({
      ...use,
      instructions: [
        { shown: 'AGENTS.md', isLeftOut: false, hidden: 2 },
        { shown: 'docs/AGENTS.md', isLeftOut: true, hidden: 0 },
        { shown: 'a/SKILL.md', isLeftOut: false, hidden: 0, problem: 'noDescription' },
        { shown: 'b/SKILL.md', isLeftOut: false, hidden: 0, problem: 'unreadable' },
        { shown: 'c.instructions.md', isLeftOut: false, hidden: 0, problem: 'frontMatter' },
      ],
    });
    get(app.root, 'button', 'Context: 12.4k of 32k tokens').click();
    await app.settle();
    const popup = get(app.root, 'group', 'What fills the context window').textContent;
    expect(popup).toContain('Instructions: AGENTS.md, a/SKILL.md, c.instructions.md');
    expect(popup).toContain('These skills have no description, so the model sees only their names: a/SKILL.md');
    expect(popup).toContain('These skills are empty, too large or could not be read: b/SKILL.md');
    expect(popup).toContain('The front matter of these files could not be read in full: c.instructions.md');
    expect(popup).toContain('These instructions do not fit, so only their names are sent: docs/AGENTS.md');
    expect(popup).toContain('Hidden characters were removed from: AGENTS.md');
  });

  it('says how much of the last prompt the server had in its memory', async () => {
    await started({ ...use, reused: 0.371, changed: 'tools' });
    get(app.root, 'button', 'Context: 12.4k of 32k tokens').click();
    await app.settle();
    const popup = get(app.root, 'group', 'What fills the context window').textContent;
    expect(popup).toContain('37% of the last prompt came from the cache.');
    expect(popup).toContain('The tools changed, so the server processed the last prompt again, starting at the tools.');
  });

  it('warns before sending of a message that does not fit with its attachments', async () => {
    const large = { kind: 'draft', tokens: 40_000 } as const;
    const warning = 'Your message needs about 42k of 32k tokens, so its middle will be left out.';
    await started({ ...use, used: 52_424, isMeasured: false, parts: [...use.parts, large] });
    expect(app.root.textContent).toContain(warning);
    get(app.root, 'button', 'Context: about 52.4k of 32k tokens').click();
    await app.settle();
    const popup = get(app.root, 'group', 'What fills the context window').textContent;
    expect(popup).toContain('Your message');
    expect(popup).toContain(warning);
    app.port.emit('context', { ...use, parts: [...use.parts, { ...large, tokens: 5000 }] });
    await app.settle();
    expect(app.root.textContent).not.toContain('Your message needs');
  });

  it('counts the text of a long draft, but does not change with each key of a short one', async () => {
    await started();
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    const write = async (text: string) => {
      field.value = text;
      field.dispatchEvent(new Event('input'));
      await app.settle();
    };
    await write('A short question');
    get(app.root, 'button', 'Context: 12.4k of 32k tokens');
    await write('x'.repeat(160_000));
    get(app.root, 'button', 'Context: about 52.4k of 32k tokens');
    expect(app.root.textContent).toContain('so its middle will be left out');
  });

  it('is not there before anything is known', async () => {
    await started(null);
    expect(has(app.root, 'meter')).toBe(false);
  });

  it('opens to what fills the window, and closes with Escape, with a press outside, and when the focus leaves', async () => {
    await started();
    const button = get(app.root, 'button', 'Context: 12.4k of 32k tokens');
    const isOpen = () => has(app.root, 'group', 'What fills the context window');
    button.focus();
    button.click();
    await app.settle();
    const words = get(app.root, 'group', 'What fills the context window').textContent;
    for (const part of [
      ...['System prompt', 'about 640', 'Tools', 'about 1,000', 'Instructions', 'about 200'],
      'Conversation',
      'Tool results',
      'Available for the answer',
      '20,344',
    ])
      expect(words).toContain(part);
    expect(words).not.toContain('Attached');
    await app.press('Escape', {}, button);
    expect([isOpen(), document.activeElement]).toEqual([false, button]);
    expect(app.api.stop).not.toHaveBeenCalled();
    button.click();
    await app.settle();
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    await app.settle();
    expect(isOpen()).toBe(false);
    button.click();
    await app.settle();
    get(app.root, 'textbox', 'Message').focus();
    await app.settle();
    expect(isOpen()).toBe(false);
  });

  it('closes with Escape after the focused button in it is gone', async () => {
    await started();
    const button = get(app.root, 'button', 'Context: 12.4k of 32k tokens');
    button.click();
    await app.settle();
    await app.press('Escape', {}, document.body);
    expect(has(app.root, 'group', 'What fills the context window')).toBe(false);
    expect(document.activeElement).toBe(button);
  });

  it('offers the window with which the whole model would be on the graphics card', async () => {
    await started({ ...use, loaded: { window: 32_768, gpuShare: 0.715, fittingWindow: 10_240 } });
    get(app.root, 'button', 'Context: 12.4k of 32k tokens').click();
    await app.settle();
    get(app.root, 'button', 'Use a context window of 10,240 tokens').click();
    await app.settle();
    expect(app.api.saveSetting).toHaveBeenCalledWith({ key: 'agent.maxContextWindow', value: 10_240 });
    expect(has(app.root, 'group', 'What fills the context window')).toBe(false);
  });

  it('says about, as long as the server has not measured', () => {
    expect(contextSummary({ ...use, isMeasured: false, used: 980 })).toBe('about 980 of 32k tokens');
    expect(contextNotes({ ...use, isMeasured: false })[0]).toMatch(/^Estimated/);
    expect(contextNotes(use)).toHaveLength(1);
  });

  it('says when the server has loaded another window, and when the window is nearly full', () => {
    const notes = contextNotes({ ...use, loaded: { window: 4096, gpuShare: 1 }, used: 31_000 });
    expect(notes[1]).toBe('The server loaded the model with a context window of 4,096 tokens, not 32,768.');
    expect(notes[2]).toMatch(/^Almost full/);
    expect(contextNotes({ ...use, loaded: null })).toHaveLength(1);
  });

  it('says when a part of the model is not on the graphics card, and leads to the settings', async () => {
    const spilt = { ...use, loaded: { window: 32_768, gpuShare: 0.715 } };
    expect(contextNotes(spilt)[1]).toMatch(/^Only 71% of the model fits on the GPU/);
    // Regression: a model that runs entirely on the CPU is reported too.
    expect(contextNotes({ ...use, loaded: { window: 32_768, gpuShare: 0 } })[1]).toMatch(/^The model is running on the CPU only/);
    await started(use);
    get(app.root, 'button', 'Context: 12.4k of 32k tokens').click();
    await app.settle();
    expect(has(app.root, 'button', 'Change context window')).toBe(false);
    app.port.emit('context', spilt);
    await app.settle();
    get(app.root, 'button', 'Change context window').click();
    await app.settle();
    expect(get(app.root, 'tab', 'Chat').getAttribute('aria-selected')).toBe('true');
    expect(has(app.root, 'textbox', 'Maximum context window')).toBe(true);
  });

  it('draws a bar that is never longer than the whole', () => {
    for (const used of [0, 12_424, 40_000]) {
      const total = contextRows({ ...use, used, parts: [{ kind: 'history', tokens: used }] }).reduce(
        (sum, row) => sum + row.share,
        0,
      );
      expect(total).toBeCloseTo(1);
    }
  });
});
