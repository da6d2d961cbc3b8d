import { describe, expect, it } from 'vitest';

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
