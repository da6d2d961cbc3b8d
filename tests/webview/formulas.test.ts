import { afterEach, describe, expect, it, vi } from 'vitest';
import { markdown, type RenderEnvironment } from '../../src/webview/markdown/parser';
import { sanitize } from '../../src/webview/markdown/sanitize';
import { formulaHtml } from '../../src/webview/markdown/formulas/katexFormula';
import { htmlOf, show } from './support/markdown';
import { untilState } from './support/untilState';

afterEach(() => document.body.replaceChildren());

/** Returns the formulas in a text. Display formulas are in brackets. */
function formulasIn(text: string): string[] {
  const env: RenderEnvironment = {};
  markdown.render(text, env);
  return (env.formulas ?? []).map(({ tex, isDisplay }) => (isDisplay ? `[${tex.trim()}]` : tex));
}

const some: [string, string[]][] = [
  ['So $E = mc^2$ holds.', ['E = mc^2']],
  ['$x$, $y$ and ($z$).', ['x', 'y', 'z']],
  ['It takes $O(n \\log n)$-time.', ['O(n \\log n)']],
  ['$\\$5$ is a price', ['\\$5']],
  ['$$a^2 + b^2 = c^2$$', ['[a^2 + b^2 = c^2]']],
  ['As $$ x = 1 $$ shows', ['[x = 1]']],
  ['The sum is\n$$\n\\sum_{i=1}^n i\n$$\nwhich grows.', ['[\\sum_{i=1}^n i]']],
  ['- item\n  $$\n  x\n  $$\n', ['[x]']],
  ['> $$\n> x\n> $$', ['[x]']],
  ['Inline \\(a + b\\) and \\(n\\).', ['a + b', 'n']],
  ['\\[\nx = \\frac{1}{2}\n\\]', ['[x = \\frac{1}{2}]']],
  ['Here \\[ a - b \\] it is', ['[a - b]']],
  ['| a |\n|---|\n| $x_1$ |', ['x_1']],
  ['*$a*b$*', ['a*b']],
  ['The answer is $5$, or $3.14$, or $1/2$.', ['5', '3.14', '1/2']],
  ['$10^6$/s and $\\alpha$/s, at $5$/s', ['10^6', '\\alpha', '5']],
  ['$2n + 1$ and $3 \\times 4$', ['2n + 1', '3 \\times 4']],
  ['$7 mod 3 = 1$ and $2 sin x$', ['7 mod 3 = 1', '2 sin x']],
  ['$n choose 2$', ['n choose 2']],
  ['$0 < x < 1$ and $2x = 10$', ['0 < x < 1', '2x = 10']],
  ['$$5$$', ['[5]']],
  ['It costs $5/h, where $x$ is small', ['x']],
  ['$-1$ and $-x$', ['-1', '-x']],
  ['$2 apples_i$', ['2 apples_i']],
  ['$20,000 and $x$', ['x']],
  ['$1/ab + c$', ['1/ab + c']],
  ['$10\\text{ per month}$', ['10\\text{ per month}']],
];
const none = [
  '$5 and $10',
  'From $5 to $10, or 5$ to 10$.',
  'US$5/$6 and A$7',
  '$10/month or 8$/month',
  'The small plan is $5/h, the big one 7$/h.',
  '$10/month, 8$ a year',
  '$5/h + 7$/h',
  '$5/mo + tax, or 50$ a year',
  '$1,000.00–$2,000, or 500$ less',
  '$0.10/kWh to 0,12$/kWh',
  '5$ to 6$/month',
  '$5M to 7M$',
  '$.50 or .60$',
  '**$4** to **5$**',
  '~~$10~~ 8$',
  '$5, €6, 7$',
  '$5 or \\$6, or 7$',
  '$5-$10',
  '$$5/month or 8$$/month',
  '$HOME is a folder; I paid 5$',
  '$HOME/$USER',
  '$5/мес или 8$',
  '$5一个月或8$',
  '$5/h\nand 7$',
  '[$5](https://example.com) or 6$',
  'e.g. $10/user (billed yearly) or 12$',
  '| a | b |\n|---|---|\n| $5/h | 7$ |\n| $5/h or 7$ | $9 |',
  '€5/$6 or £4/5$',
  'It costs $20,000 and $30,000',
  '$HOME and $PATH',
  '$HOME/bin:$PATH',
  'echo "$USER@$HOST" ${A} and ${B}',
  '$(date) and $(pwd), $(a)$(b)',
  'kill $$; echo $$ done',
  '$$$ expensive $$$',
  'a \\$x$ b',
  '`$x$` and ```$y$```',
  '```sh\n$x$\n```',
  '    $$\n    x\n    $$',
  '\\[1\\] \\[see below\\] \\(see below\\)',
  '\\[link\\]',
  '$ x $',
  '$x',
  '$x\n\ny$',
  '$$\nx\n\ny\n$$',
  '$$\n\n$$',
];

describe('a formula', () => {
  it.each(some)('is found in %j', (text, formulas) => expect(formulasIn(text)).toEqual(formulas));
  it.each(none)('is none in %j', (text) => expect(formulasIn(text)).toEqual([]));

  it('is drawn as MathML, its source in sight until then', async () => {
    const { root } = await show('So $E = mc^2$ and\n\n$$\n\\frac{a}{b}\n$$\n');
    await vi.waitFor(() => expect(root.querySelectorAll('math')).toHaveLength(2), untilState);
    expect(root.querySelector('p math msup mn')?.textContent).toBe('2');
    expect(root.querySelector('div.md-formula math')?.getAttribute('display')).toBe('block');
    expect(root.querySelector('div.md-formula')?.getAttribute('tabindex')).toBe('0');
    expect(root.querySelectorAll('[style], [class^=katex]')).toHaveLength(0);
  });

  it.each(['$\\frac{1$', '$\\unknown{x}$', '$\\href{https://example.org}{x}$', '$\\includegraphics{https://example.org/a.png}$'])(
    'stays its source where it has a fault or leads out: %s',
    async (text) => {
      await show('$x$');
      const { root } = await show(text);
      await vi.waitFor(() => expect(document.querySelector('math')).not.toBeNull(), untilState);
      expect(root.querySelector('math')).toBeNull();
      expect(root.textContent?.trim()).toBe(text);
    },
  );

  it('that grows without end is given up', () => {
    expect(() => formulaHtml('\\def\\a{\\a\\a}\\a', false)).toThrow();
    expect(formulaHtml('\\rule{100000em}{1em}', false)).toContain('width="20em"');
  });

  it.each([
    '<math><mi href="javascript:alert(1)" xlink:href="javascript:alert(1)" style="position:fixed" onclick="alert(1)">x</mi></math>',
    '<math><mglyph src="https://example.org/a.png"></mglyph><maction actiontype="statusline#http://x">x</maction></math>',
    '<math><annotation-xml encoding="text/html"><img src=x onerror=alert(1)></annotation-xml></math>',
    '<math><mtext><img src=x onerror=alert(1)><style>*{}</style><a href="https://example.org">x</a></mtext></math>',
    '<span class="codicon" id="app">x</span><math id="app" class="x"><mi mathcolor="red" mathbackground="red">x</mi></math>',
  ])('holds nothing that runs, loads, leads or styles: %s', (html) => {
    const holder = document.createElement('div');
    holder.append(sanitize(html, 'formula'));
    for (const element of holder.querySelectorAll('*')) {
      expect(element.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML');
      for (const { name } of element.attributes)
        expect(name).not.toMatch(/^on|href|src|style|class|^id$|color|background|actiontype/);
    }
  });

  it('ends in the same page whether the text streamed or came whole', async () => {
    const text =
      'Prices $5 and $10.\n\nText\n$$\n- a\n+ b\n$$\nmore $x_1$ and $$y$$ too\n\n$$\nnever closed\n- c\n\n- \\[ z \\]\n- \\(q\\)\n\n$$\nx\n$$ where\n- d\n';
    const whole = await show(text);
    await vi.waitFor(() => expect(whole.root.querySelector('math')).not.toBeNull(), untilState);
    const streamed = await show('', true);
    for (let end = 0; end < text.length; end += 1) await streamed.wrapper.setProps({ text: text.slice(0, end), isOpen: true });
    await streamed.wrapper.setProps({ text, isOpen: false });
    expect(htmlOf(streamed)).toBe(htmlOf(whole));
  });
});
