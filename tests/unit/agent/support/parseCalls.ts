import { ToolCallParser, type AnswerPiece } from '../../../../src/agent/stream/toolCallParser';

export const tools = ['read_file', 'create_file', 'update_todos'];

/** Parses a text in pieces of `size` characters. Returns text as `"…"`, calls as `name {…}`, unreadable calls as `name! why`. */
export function parseCalls(text: string, size: number, isCutOff = false): string[] {
  const parser = new ToolCallParser((name) => tools.includes(name));
  const seen: string[] = [];
  let open = '';
  const take = (pieces: AnswerPiece[]): void => {
    for (const piece of pieces) {
      if (piece.kind === 'text') open += piece.text;
      if (piece.kind !== 'call') continue;
      if (open.trim() !== '') seen.push(JSON.stringify(open.trim()));
      open = '';
      const { name, input, repairs, unreadable } = piece.call;
      if (unreadable) seen.push(`${name}! ${unreadable.problem}`);
      else seen.push(`${name} ${JSON.stringify(input)}${repairs ? ` (${repairs.join(', ')})` : ''}`);
    }
  };
  for (let at = 0; at < text.length; at += size) take(parser.push(text.slice(at, at + size)));
  take(parser.flush(isCutOff));
  if (open.trim() !== '') seen.push(JSON.stringify(open.trim()));
  return seen;
}
