import type { GenerationRequest, Scripted, Step } from '../../support/ollama/doubleReply';
import { fimPromptOf } from '../../support/ollama/fimReply';

/** Share of lines that the model completes correctly. */
const known = 0.65;

/** Answers like a decent model: it completes two thirds of the lines correctly. It gets the first half of the others right. */
export function typistReply(request: GenerationRequest, texts: readonly string[], firstMs: number, pieceMs: number): Scripted {
  const middle = missing(request, texts);
  const words = middle === undefined ? 'other()' : answerOf(middle.text, middle.column);
  const pieces = words.match(/[^]{1,4}/g) ?? [];
  const steps = pieces.flatMap((piece): Step[] => [{ wait: pieceMs }, piece]);
  return { steps: [{ wait: firstMs }, ...steps] };
}

/** Returns the text missing at the cursor, and the cursor's column. */
function missing(request: GenerationRequest, texts: readonly string[]): { text: string; column: number } | undefined {
  const fim = fimPromptOf(request);
  const tail = fim?.prefix.slice(-300) ?? '';
  for (const text of texts) {
    const at = text.indexOf(tail);
    if (at < 0 || fim === undefined || tail === '') continue;
    const from = at + tail.length;
    return { text: text.slice(from), column: from - (text.lastIndexOf('\n', from - 1) + 1) };
  }
  return undefined;
}

function answerOf(text: string, column: number): string {
  const lines = text.split('\n').slice(0, 8);
  const written: string[] = [];
  for (const [index, line] of lines.entries()) {
    const isKnown =
      line.trim().length < 3 || hash(line.trim()) < known || (index === 0 && column > 0 && hash(line.slice(-6)) < known);
    if (!isKnown) {
      written.push(`${line.slice(0, Math.ceil(line.length / 2))}Other.value();`);
      break;
    }
    written.push(line);
  }
  return written.join('\n');
}

/** Returns a number from 0 to 1, always the same for a text. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 16_777_619) >>> 0;
  return value / 4_294_967_296;
}
