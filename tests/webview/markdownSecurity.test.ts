import { describe, expect, it } from 'vitest';
import { sanitize } from '../../src/webview/markdown/sanitize';
import { show } from './support/markdown';

const corpus = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><animate onbegin=alert(1)></svg>',
  '<iframe src="https://example.org"></iframe><object data=x></object><embed src=x>',
  '<style>body { display: none }</style><link rel=stylesheet href=//example.org/x.css>',
  '<form action="https://example.org"><input name=q autofocus onfocus=alert(1)><button>Go</button></form>',
  '<a href="javascript:alert(1)">x</a><base href="https://example.org/">',
  '[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](java\tscript:alert(1)) [x](&#106;avascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>) [x](vbscript:x) [x](file:///etc/passwd) [x](command:workbench.action.quit)',
  '[x](vscode://settings) [x](//example.org/relative) [x](mailto:a@example.org)',
  '![x](https://example.org/track.png) ![x](data:image/svg+xml,<svg/onload=alert(1)>) ![x](javascript:alert(1))',
  '[![x](https://example.org/a.png)](javascript:alert(1))',
  '<https://example.org/"onmouseover="alert(1)> <javascript:alert(1)>',
  '```html\n<script>alert(1)</script><img src=x onerror=alert(1)>\n```',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '| a | <img src=x onerror=alert(1)> |\n|:-:|--:|\n| `<b onclick=x>` | [x](javascript:1) |',
  '# <svg/onload=alert(1)>\n\n> <details open ontoggle=alert(1)>\n\n- <math><mi xlink:href="data:x,alert(1)">',
  '[x]: javascript:alert(1)\n\n[x] ![x]',
  '<div data-code="0" class="codicon" style="position:fixed;inset:0">over</div>',
  'a [x](https://example.org "&quot; onclick=alert(1)") b',
];

const harmless = new Set([
  ...['div', 'p', 'br', 'hr', 'h3', 'strong', 'em', 's', 'code', 'ul', 'ol', 'li', 'blockquote', 'a', 'span'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'figure', 'figcaption', 'pre', 'button', 'i'],
]);

function expectHarmless(root: ParentNode): void {
  for (const element of root.querySelectorAll('*')) {
    expect(harmless, element.outerHTML).toContain(element.tagName.toLowerCase());
    for (const { name, value } of element.attributes) {
      expect(name, element.outerHTML).not.toMatch(/^on|^style$|^src|^srcset$|^action$|^formaction$|xlink|^background$/);
      if (name === 'href') expect(value).toMatch(/^https?:\/\//);
    }
  }
}

describe('markdown that others wrote', () => {
  it.each(corpus)('cannot run, load, style or submit anything: %s', async (text) => {
    for (const isOpen of [false, true]) {
      const { wrapper, root } = await show(text, isOpen);
      expectHarmless(root);
      wrapper.unmount();
    }
    for (let end = 1; end < text.length; end += 3) {
      const { wrapper, root } = await show(text.slice(0, end), true);
      expectHarmless(root);
      wrapper.unmount();
    }
  });

  it('is cut down by the sanitiser even where HTML reached it', () => {
    for (const html of corpus) {
      const holder = document.createElement('div');
      holder.append(sanitize(html, 'prose'));
      for (const element of holder.querySelectorAll('*')) expect(element.tagName).toMatch(/^(A|P|DIV|SPAN|CODE|LI|UL|H3)$/);
      expectHarmless(holder);
      holder.replaceChildren(sanitize(html, 'highlighted'));
      expect([...holder.querySelectorAll('*')].every(({ tagName }) => tagName === 'SPAN')).toBe(true);
    }
  });

  it('shows HTML as the text it is', async () => {
    const { wrapper } = await show('<b>bold</b> & <script>x</script>');
    expect(wrapper.text()).toBe('<b>bold</b> & <script>x</script>');
    wrapper.unmount();
  });

  it('names a picture and links to it, but does not load it', async () => {
    const { wrapper } = await show('![a chart](https://example.org/chart.png)');
    expect(wrapper.find('img').exists()).toBe(false);
    const link = wrapper.get('a');
    expect([link.text(), link.attributes('href')]).toEqual(['a chart', 'https://example.org/chart.png']);
    wrapper.unmount();
  });

  it('gives a link to the extension, and only to it', async () => {
    const { wrapper } = await show('[docs](https://example.org/docs) [bad](javascript:alert(1))');
    let hasLeaked = false;
    const onDocument = () => (hasLeaked = true);
    document.addEventListener('click', onDocument);
    const [good, bad] = wrapper.findAll('a');
    await good?.trigger('click');
    await bad?.trigger('click');
    document.removeEventListener('click', onDocument);
    expect(wrapper.emitted('openLink')).toEqual([['https://example.org/docs']]);
    expect(bad?.attributes('href')).toBeUndefined();
    expect(hasLeaked).toBe(false);
    wrapper.unmount();
  });
});
