import type { default as MarkdownIt, StateBlock, Token } from 'markdown-it';
import { longest, longestTableHead, mostColumns } from './limits';

/** Internal language name for a table that is shown as text. No fence can use this name. */
export const wideTable = 'wide table';

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/**
 * Limits the cost of a table to the length of its text. The parser pads rows to the number of columns, and
 * each part of a split table repeats the header. Many columns or a long header would multiply the text. Such a
 * table is shown as text up to the next empty line.
 */
export function limitTables(markdown: InstanceType<typeof MarkdownIt>): void {
  const table = findTableRule(markdown);
  const limited: BlockRule = (state, startLine, endLine, silent) => {
    if (startLine + 2 > endLine) return false;
    const head = readLine(state, startLine);
    const dashes = readLine(state, startLine + 1);
    const size = head.length + dashes.length;
    const columns = countColumns(dashes);
    if (size <= longestTableHead && columns <= mostColumns) {
      const before = state.tokens.length;
      return table(state, startLine, endLine, silent) && (silent || dropMissingCells(state.tokens, before));
    }
    // A text that is split before its second line is not a table, even if it arrived all at once.
    if (size + 2 > longest || countColumns(head) !== columns || !/^[\s|:-]*-[\s|:-]*$/.test(dashes)) return false;
    if ((state.sCount[startLine + 1] ?? 0) < state.blkIndent) return false;
    if (!silent) takeAsText(state, startLine, endLine);
    return true;
  };
  markdown.block.ruler.at('table', limited, { alt: ['paragraph', 'reference'] });
}

/** Returns the parser's table rule. The ruler lists active rules without names, so this function disables the rule to find it. */
function findTableRule({ block: { ruler } }: InstanceType<typeof MarkdownIt>): BlockRule {
  const all = ruler.getRules('');
  ruler.disable('table');
  const others = new Set(ruler.getRules(''));
  ruler.enable('table');
  const table = all.find((rule) => !others.has(rule));
  if (table === undefined) throw new Error('The parser has no rule for tables');
  return table;
}

function readLine(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
}

/** Counts columns as the parser does: text outside the outer bars is not a column. */
function countColumns(line: string): number {
  let bars = 0;
  for (let at = line.indexOf('|'); at !== -1; at = line.indexOf('|', at + 1)) if (line[at - 1] !== '\\') bars += 1;
  if (bars === 0) return 0;
  return bars + 1 - Number(line.startsWith('|')) - Number(line.endsWith('|') && line.at(-2) !== '\\');
}

function takeAsText(state: StateBlock, startLine: number, endLine: number): void {
  let next = startLine + 2;
  while (next < endLine && !state.isEmpty(next) && (state.sCount[next] ?? 0) >= state.blkIndent) next += 1;
  const token = state.push('code_block', 'code', 0);
  token.content = `${state.getLines(startLine, next, state.blkIndent, false)}\n`;
  token.map = [startLine, next];
  token.meta = { wideTable };
  state.line = next;
}

/** Removes the cells that the parser added to a row. Always returns true. */
function dropMissingCells(tokens: Token[], from: number): true {
  const kept: Token[] = [];
  for (let index = from; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    if (token.type === 'tr_close') while (isEmptyCell(kept)) kept.length -= 3;
    kept.push(token);
  }
  tokens.length = from;
  for (const token of kept) tokens.push(token);
  return true;
}

function isEmptyCell(tokens: readonly Token[]): boolean {
  return tokens.at(-1)?.type === 'td_close' && tokens.at(-2)?.content === '' && tokens.at(-4)?.type !== 'tr_open';
}
