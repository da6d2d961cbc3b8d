import { expect, it } from 'vitest';
import { visibleText } from '../../src/webview/text/visibleText';

it('shows what cannot be seen, and leaves lines, tabs and letters of all scripts alone', () => {
  expect(visibleText('a\u202eb\u0015c\u200bd\te\nñ 日本 עברית')).toBe('a⟨U+202E⟩b⟨U+0015⟩c⟨U+200B⟩d\te\nñ 日本 עברית');
});
