import { ToolCallParser } from './toolCallParser';

const fence = '```';

/** The tool that an answer ends with a call of in a code block, where it is shown and not made; null where there is none. */
export function shownCall(answer: string, isTool: (name: string) => boolean): string | null {
  const text = answer.trimEnd();
  if (!text.endsWith(fence)) return null;
  const start = text.lastIndexOf(fence, text.length - fence.length - 1);
  if (start < 0 || !/(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, start - 4), start))) return null;
  const parser = new ToolCallParser(isTool);
  const pieces = [...parser.push(text.slice(start)), ...parser.flush()].filter(({ kind }) => kind !== 'preparing');
  const [first] = pieces;
  const areCalls = pieces.every((piece) => piece.kind === 'call' && !piece.call.unreadable && isTool(piece.call.name));
  return areCalls && first?.kind === 'call' ? first.call.name : null;
}
