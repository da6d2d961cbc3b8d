import type { default as MarkdownIt, RendererRule, StateBlock, StateInline, Token } from 'markdown-it';
import { visibleControls } from '../../../protocol/text/visibleText';
import { longestFormula } from '../limits';
import { isMoney } from './money';

/** Formula inside a block. Rendered as a placeholder with its source until KaTeX renders the formula. */
export interface NestedFormula {
  tex: string;
  /** True for a formula that is on separate lines or in display style. */
  isDisplay: boolean;
}

interface FormulaEnvironment extends Record<string | symbol, unknown> {
  formulas?: NestedFormula[];
}

interface FoundFormula extends NestedFormula {
  /** Index after the closing delimiter. */
  end: number;
}

const sign = /[\\^_=+<>{}]/;

/**
 * Adds formulas: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. An opening `$` must be directly followed by a non-space character. The
 * next `$` closes the formula if a non-space character directly precedes it and no digit follows. These rules exclude most
 * prices and shell variables. `isMoney` excludes the others.
 */
export function addFormulas(markdown: InstanceType<typeof MarkdownIt>): void {
  markdown.inline.ruler.before('escape', 'formula', (state: StateInline, silent: boolean) => {
    const first = state.src[state.pos];
    const found = first === '$' || first === '\\' ? formulaAt(state.src.slice(0, state.posMax), state.pos) : null;
    if (found === null) return false;
    if (!silent) note(state.push('formula', 'span', 0), found, state.src.slice(state.pos, found.end));
    state.pos = found.end;
    return true;
  });
  markdown.block.ruler.before('table', 'formula', blockFormula, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  const render: RendererRule = (tokens, index, _options, env: FormulaEnvironment = {}) => {
    const { content, tag, meta } = tokens[index] as Token;
    const formulas = (env.formulas ??= []);
    formulas.push({ tex: String(meta?.['tex']), isDisplay: meta?.['isDisplay'] === true });
    const source = markdown.utils.escapeHtml(visibleControls(content));
    const attributes = `data-formula="${formulas.length - 1}"${tag === 'div' ? ' tabindex="0"' : ''}`;
    return `<${tag} class="md-formula" ${attributes}>${source}</${tag}>`;
  };
  markdown.renderer.rules['formula'] = render;
  markdown.renderer.rules['formula_block'] = render;
}

function note(token: Token, { tex, isDisplay }: NestedFormula, source: string): void {
  token.content = source;
  token.meta = { tex, isDisplay };
}

function formulaAt(text: string, at: number): FoundFormula | null {
  const opening = text.slice(at, at + 2);
  if (opening === '\\(' || opening === '\\[') {
    const found = closed(text, at, opening === '\\(' ? '\\)' : '\\]');
    return found !== null && isMath(found.tex, opening === '\\(') ? { ...found, isDisplay: opening === '\\[' } : null;
  }
  // These are not formulas: `US$5`, `a$b`.
  if (text[at] !== '$' || /[\p{L}\p{N}_$]/u.test(text[at - 1] ?? '')) return null;
  if (opening !== '$$') return betweenDollars(text, at);
  const found = text[at + 2] === '$' ? null : closed(text, at, '$$');
  if (found === null || text[found.end] === '$' || isMoney(found.tex, text.slice(found.end))) return null;
  const isTight = found.tex !== '' && found.tex.trim() === found.tex;
  return isTight || sign.test(found.tex) ? { ...found, isDisplay: true } : null;
}

function closed(text: string, at: number, mark: string): { tex: string; end: number } | null {
  const tex = text.slice(at + 2, at + 2 + longestFormula);
  const end = tex.indexOf(mark);
  return end === -1 ? null : { tex: tex.slice(0, end), end: at + 4 + end };
}

/** Returns true if a text between `\[` and `\]` is a formula. Escaped brackets such as `\[1\]` or `\[see below\]` are not. */
function isMath(tex: string, isWordEnough: boolean): boolean {
  if (tex.trim() === '') return false;
  return sign.test(tex) || /^\s|\s$|^\p{L}$/u.test(tex) || (isWordEnough && /^\S+$/.test(tex));
}

function betweenDollars(text: string, at: number): FoundFormula | null {
  const rest = text.slice(at + 1, at + 1 + longestFormula);
  const tex = /^(?:[^$\\]|\\[^])+(?=\$)/.exec(rest)?.[0];
  if (tex === undefined || /^\s|\s$/.test(tex)) return null;
  const end = at + tex.length + 2;
  if (isMoney(tex, text.slice(end))) return null;
  // This is shell code: `$HOME/bin:$PATH`, `$(a)$(b)`.
  return /[\p{L}\p{N}_$({]/u.test(text[end] ?? '') ? null : { tex, isDisplay: false, end };
}

/**
 * Parses lines from `$$` or `\[` to the closing delimiter at the end of a line. If no delimiter follows before the next
 * empty line, the lines are a paragraph. As a result, streaming text and complete text have the same blocks.
 */
function blockFormula(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const first = state.src.slice((state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0), state.eMarks[startLine]);
  const mark = /^\$\$(?!\$)/.test(first) ? '$$' : first.startsWith('\\[') ? '\\]' : null;
  if (mark === null) return false;
  const inFirst = first.indexOf(mark, 2);
  if (inFirst !== -1 && (first.slice(inFirst + 2).trim() !== '' || !(mark === '$$' || isMath(first.slice(2, inFirst), false))))
    return false;
  if (silent) return true;

  let next = startLine + 1;
  let tex: string | null = inFirst === -1 ? null : first.slice(2, inFirst);
  while (tex === null && next < endLine && !state.isEmpty(next) && (state.sCount[next] ?? 0) >= state.blkIndent) {
    next += 1;
    const lines = state.getLines(startLine, next, state.blkIndent, false).trim();
    const end = lines.indexOf(mark, 2);
    if (end !== -1 && end === lines.length - 2) tex = lines.slice(2, end);
    else if (end !== -1) next = paragraphEnd(state, next, endLine);
    if (end !== -1) break;
  }
  const source = state.getLines(startLine, next, state.blkIndent, false).trim();
  const map: [number, number] = [startLine, next];
  state.line = next;
  if (tex !== null && tex.trim() !== '' && tex.length <= longestFormula) {
    const token = state.push('formula_block', 'div', 0);
    token.map = map;
    note(token, { tex, isDisplay: true }, source);
    return true;
  }
  state.push('paragraph_open', 'p', 1).map = map;
  const inline = state.push('inline', '', 0);
  inline.content = source;
  inline.map = map;
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}

function paragraphEnd(state: StateBlock, from: number, endLine: number): number {
  let next = from;
  while (next < endLine && !state.isEmpty(next) && (state.sCount[next] ?? 0) >= state.blkIndent) next += 1;
  return next;
}
