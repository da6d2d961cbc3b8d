import { hasScheme } from '../../types/httpAddress';
import { visibleControls } from '../../protocol/text/visibleText';
import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import { addFormulas, type NestedFormula } from './formulas/formulaRules';
import { limitTables, wideTable } from './tables';

/** Code block inside another block. Rendered as a placeholder for a component. */
export interface NestedCode {
  language: string;
  text: string;
}

export interface RenderEnvironment extends Record<string | symbol, unknown> {
  references?: Record<string, { title: string; href: string }>;
  codes?: NestedCode[];
  formulas?: NestedFormula[];
  /** Current nesting depth of links. */
  links?: number;
}

/** Markdown without HTML, styles or images. The output must be sanitized. */
export const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });

// `notes.md` and `app.io` are usually file names, not host names.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

limitTables(markdown);
addFormulas(markdown);

// The sanitizer removes addresses that are not web links and keeps their labels. If a link
// were rejected here, its source would be shown.
markdown.validateLink = () => true;

const rules = markdown.renderer.rules;

const code: RendererRule = (tokens, index, _options, env: RenderEnvironment = {}) => {
  const token = tokens[index] as Token;
  const codes = (env.codes ??= []);
  codes.push({ language: readLanguage(token), text: token.content.replace(/\n$/, '') });
  return `<div data-code="${codes.length - 1}"></div>`;
};
rules.fence = code;
rules.code_block = code;

/** Never loads images, because a request would reveal that the user viewed them. */
rules.image = (tokens, index, _options, env: RenderEnvironment = {}) => {
  const token = tokens[index] as Token;
  const escape = markdown.utils.escapeHtml;
  const address = String(token.attrGet('src') ?? '');
  const label = escape(visibleControls(token.content || address.split('/').pop() || 'image'));
  const place = hasScheme(address) ? '' : ` data-place="${escape(address)}"`;
  return (env.links ?? 0) > 0
    ? `<span class="md-image">${label}</span>`
    : `<a class="md-image" href="${escape(address)}"${place}>${label}</a>`;
};

rules.link_open = (tokens, index, options, env: RenderEnvironment = {}, renderer) => {
  env.links = (env.links ?? 0) + 1;
  const token = tokens[index] as Token;
  const address = String(token.attrGet('href') ?? '');
  // Store the address in an attribute, because the sanitizer removes it. It may be a workspace file.
  if (!hasScheme(address)) token.attrSet('data-place', address);
  return renderer.renderToken(tokens, index, options);
};
rules.link_close = (tokens, index, options, env: RenderEnvironment = {}, renderer) => {
  env.links = (env.links ?? 1) - 1;
  return renderer.renderToken(tokens, index, options);
};

/** Renders all headings at one level, so that answers do not break the heading outline of the page. Levels 1 and 2 are larger. */
rules.heading_open = (tokens, index) => {
  const { tag } = tokens[index] as Token;
  return tag === 'h1' || tag === 'h2' ? `<h3 class="md-${tag}">` : '<h3>';
};
rules.heading_close = () => '</h3>\n';

const withAlignment: RendererRule = (tokens, index, options, _env, renderer) => {
  const token = tokens[index] as Token;
  const align = /text-align:(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  token.attrs = align === undefined ? null : [['data-align', align]];
  return renderer.renderToken(tokens, index, options);
};
rules.th_open = withAlignment;
rules.td_open = withAlignment;

rules.table_open = () => '<div class="md-table fade-right" tabindex="0"><table dir="auto">\n';
/** Aligns list markers and quote lines with the text direction. Paragraphs need only CSS. */
const withDirection: RendererRule = (tokens, index, options, _env, renderer) => {
  (tokens[index] as Token).attrSet('dir', 'auto');
  return renderer.renderToken(tokens, index, options);
};
rules.bullet_list_open = withDirection;
rules.ordered_list_open = withDirection;
rules.blockquote_open = withDirection;

/** Makes control characters visible, so that they cannot reverse or hide text. */
rules.text = (tokens, index) => markdown.utils.escapeHtml(visibleControls((tokens[index] as Token).content));
rules.code_inline = (tokens, index) => {
  return `<code>${markdown.utils.escapeHtml(visibleControls((tokens[index] as Token).content))}</code>`;
};

rules.table_close = () => '</table></div>\n';

/** Turns `[ ]` and `[x]` at the start of a list item into a check box. */
markdown.core.ruler.after('inline', 'tasks', ({ tokens, Token }) => {
  tokens.forEach((token, index) => {
    const item = tokens[index - 2];
    const paragraph = tokens[index - 1];
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

/** Returns the language of a code block: the first word of its fence. */
export function readLanguage({ type, info, meta }: Token): string {
  if (meta?.['wideTable'] !== undefined) return wideTable;
  return type === 'fence' ? (markdown.utils.unescapeAll(info).trim().split(/\s+/)[0]?.toLowerCase() ?? '') : '';
}
