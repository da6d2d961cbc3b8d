import { mount, type VueWrapper } from '@vue/test-utils';
import { nextTick, type ComponentPublicInstance } from 'vue';
import MarkdownText from '../../../src/webview/markdown/MarkdownText.vue';

export interface Shown {
  wrapper: VueWrapper<ComponentPublicInstance>;
  root: Element;
}

export async function show(text: string, isOpen = false): Promise<Shown> {
  const wrapper = mount(MarkdownText, { props: { text, isOpen }, attachTo: document.body }) as unknown as Shown['wrapper'];
  await nextTick();
  return { wrapper, root: wrapper.element as Element };
}

/** Returns the HTML without the markers that components leave. */
export function htmlOf({ root }: Shown): string {
  return root.innerHTML.replace(/ data-v-[\w-]+=""/g, '').replaceAll('<!---->', '');
}

/** Markdown with every kind of block, about `size` characters long. */
export function longAnswer(size: number): string {
  const section = `## Reading the file

The parser walks *every* line once and keeps **three** counters; see [the notes](https://example.org/notes) or \`parse()\`.
It stops at the first line that does not fit, and says which one it was and what it had expected there.

1. Open the file.
2. Read it in pieces of 64 KB:
   \`\`\`ts
   for await (const piece of stream) feed(piece);
   \`\`\`
3. Close it, whatever happened.

\`\`\`typescript
export function parse(text: string): Result {
  const lines = text.split('\\n');
  return lines.reduce((result, line) => result.with(line), Result.empty);
}
\`\`\`

| Case | Time | Memory |
|:-----|-----:|-------:|
| small | 1 ms | 2 MB |
| large | 80 ms | 9 MB |

> Nothing here is final. [Later] it may change.

`;
  return `${section.repeat(Math.ceil(size / section.length))}[later]: https://example.org/later\n`.slice(0, size + 60);
}
