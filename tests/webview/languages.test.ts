import { describe, expect, it, vi } from 'vitest';
import { formatNumber } from '../../src/types/format';

describe('the languages of code blocks', () => {
  it('are made ready by the first block that asks, not by the page', async () => {
    const { default: core } = await import('highlight.js/lib/core');
    const { highlight } = await import('../../src/webview/markdown/highlight');
    await import('../../src/webview/App.vue');
    expect(core.listLanguages()).toEqual([]);
    expect(highlight('x'.repeat(50_001), 'json')).toBeNull();
    expect(core.listLanguages()).toEqual([]);
    expect(highlight('{ "a": 1 }', 'json')).toContain('hljs-attr');
  });

  it('are those that are common, with their other names', async () => {
    const { default: common } = await import('highlight.js/lib/common');
    const { highlighter } = await import('../../src/webview/markdown/languages');
    expect(highlighter().listLanguages()).toEqual(common.listLanguages());
    for (const name of ['js', 'tsx', 'py', 'sh', 'html', 'c++', 'yml']) expect(highlighter().getLanguage(name)).toBeDefined();
  });

  it('know the languages inside others', async () => {
    const { highlight } = await import('../../src/webview/markdown/highlight');
    expect(highlight('<style>a { color: red }</style>', 'html')).toContain('hljs-attribute');
  });
});

describe('the language of the page', () => {
  it('is the one that numbers are written in', async () => {
    document.documentElement.lang = 'de';
    document.body.innerHTML = '<div id="app"></div>';
    const editor = { postMessage: () => undefined, getState: () => undefined, setState: () => undefined };
    vi.stubGlobal('acquireVsCodeApi', () => editor);
    await import('../../src/webview/main');
    expect(formatNumber(12_345)).toBe('12.345');
  });
});
