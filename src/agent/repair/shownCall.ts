import { ToolCallParser } from '../stream/toolCallParser';

const fence = '```';

/** Returns the tool of a call that a code block at the end of an answer shows, or null if there is none. */
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
