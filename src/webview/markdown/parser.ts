import { visibleControls } from '../../protocol/text/visibleText';
import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { addFormulas, type NestedFormula } from './formulas/formulaRules';
import { limitTables, wideTable } from './tables';

/** A code block inside another block: rendered as a placeholder that a component fills. */
export interface NestedCode {
  language: string;
  text: string;
}

/** Values that a rendering reads and leaves behind. */
export interface RenderEnvironment extends Record<string | symbol, unknown> {
  references?: Record<string, { title: string; href: string }>;
  codes?: NestedCode[];
  formulas?: NestedFormula[];
  /** Number of links that the rendering is inside of. */
  links?: number;
}

/** Markdown without HTML, styles or images; its output still goes through the sanitiser. */
export const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });

// `notes.md` and `app.io` are file names here far more often than hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

limitTables(markdown);
addFormulas(markdown);

// What is no outside link keeps its label and loses its address in the sanitiser; refusing it here would show its source.
markdown.validateLink = () => true;

const rules = markdown.renderer.rules;

const code: RendererRule = (tokens, index, _options, env: RenderEnvironment = {}) => {
  const token = tokens[index] as Token;
  const codes = (env.codes ??= []);
  codes.push({ language: languageOf(token), text: token.content.replace(/\n$/, '') });
  return `<div data-code="${codes.length - 1}"></div>`;
};
rules.fence = code;
rules.code_block = code;

/** Never loaded: a picture's address would tell somebody that it was looked at. */
rules.image = (tokens, index, _options, env: RenderEnvironment = {}) => {
  const token = tokens[index] as Token;
  const escape = markdown.utils.escapeHtml;
  const address = String(token.attrGet('src') ?? '');
  const label = escape(visibleControls(token.content || address.split('/').pop() || 'image'));
  return (env.links ?? 0) > 0
    ? `<span class="md-image">${label}</span>`
    : `<a class="md-image" href="${escape(address)}">${label}</a>`;
};

rules.link_open = (tokens, index, options, env: RenderEnvironment = {}, renderer) => {
  env.links = (env.links ?? 0) + 1;
  const token = tokens[index] as Token;
  const address = String(token.attrGet('href') ?? '');
  // Kept beside the address, which the sanitiser takes away: it may name a file of the workspace.
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(address)) token.attrSet('data-place', address);
  return renderer.renderToken(tokens, index, options);
};
rules.link_close = (tokens, index, options, env: RenderEnvironment = {}, renderer) => {
  env.links = (env.links ?? 1) - 1;
  return renderer.renderToken(tokens, index, options);
};

/** Renders every heading with one size and one level, so that an answer never breaks the outline of the page. */
rules.heading_open = () => '<h3>';
rules.heading_close = () => '</h3>\n';

const withAlignment: RendererRule = (tokens, index, options, _env, renderer) => {
  const token = tokens[index] as Token;
  const align = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  token.attrs = align === undefined ? null : [['data-align', align]];
  return renderer.renderToken(tokens, index, options);
};
rules.th_open = withAlignment;
rules.td_open = withAlignment;

rules.table_open = () => '<div class="md-table" tabindex="0"><table dir="auto">\n';
/** Marks and quotation lines stand on the side where their text begins; a paragraph needs no more than its style. */
const withDirection: RendererRule = (tokens, index, options, _env, renderer) => {
  (tokens[index] as Token).attrSet('dir', 'auto');
  return renderer.renderToken(tokens, index, options);
};
rules.bullet_list_open = withDirection;
rules.ordered_list_open = withDirection;
rules.blockquote_open = withDirection;

/** Renders text so that it neither turns what follows it round nor hides what it does. */
rules.text = (tokens, index) => markdown.utils.escapeHtml(visibleControls((tokens[index] as Token).content));
rules.code_inline = (tokens, index) => {
  return `<code>${markdown.utils.escapeHtml(visibleControls((tokens[index] as Token).content))}</code>`;
};

rules.table_close = () => '</table></div>\n';

/** Turns `[ ]` and `[x]` at the start of a list's item into a check box. */
markdown.core.ruler.after('inline', 'tasks', ({ tokens, Token }) => {
  tokens.forEach((token, index) => {
    const [item, paragraph] = [tokens[index - 2], tokens[index - 1]];
    if (token.type !== 'inline' || paragraph?.type !== 'paragraph_open' || item?.type !== 'list_item_open') return;
    const first = token.children?.[0];
    const mark = first?.type === 'text' ? /^\[([ xX])\](?=[ \t])/.exec(first.content)?.[1] : undefined;
    if (first === undefined || mark === undefined) return;
    first.content = first.content.slice(3);
    const box = new Token('task_check', 'span', 0);
    box.meta = { isDone: mark !== ' ' };
    token.children?.unshift(box);
    item.attrJoin('class', 'md-task');
  });
});
rules['task_check'] = (tokens, index) =>
  `<span class="md-check${tokens[index]?.meta?.['isDone'] === true ? ' codicon codicon-check' : ''}"></span>`;

/** Returns the language a block of code names: the first word of its fence. */
export function languageOf({ type, info, meta }: Token): string {
  if (meta?.['wideTable'] !== undefined) return wideTable;
  return type === 'fence' ? (markdown.utils.unescapeAll(info).trim().split(/\s+/)[0]?.toLowerCase() ?? '') : '';
}
