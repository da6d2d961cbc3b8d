import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns text that compresses like source code: a small vocabulary, lines, indentation. Always the same for a seed. */
export function sourceText(seed: number, bytes: number): string {
  let state = seed * 2_654_435_761 + 1;
  const next = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % limit;
  };
  let text = `// file ${seed}\n`;
  while (text.length < bytes) {
    text += '  '.repeat(next(4));
    for (let words = 2 + next(7); words > 0; words -= 1)
      text += `${vocabulary[next(vocabulary.length)]}${next(9) === 0 ? next(1_000) : ''} `;
    text += '\n';
  }
  return text.slice(0, bytes);
}

const stems =
  'const return function export import value index length path file read write state error result options session entry'.split(
    ' ',
  );
const vocabulary = stems.flatMap((stem) => [stem, `${stem}s`, `${stem}Of`, `(${stem})`, `${stem};`, `${stem} =`]);

/** Writes `count` files of 200 bytes to 20 kB, 20 per folder. Returns their paths relative to the root. */
export function writeTree(root: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const folder = path.join(`area${Math.floor(index / 400)}`, `part${Math.floor(index / 20) % 20}`);
    if (index % 20 === 0) mkdirSync(path.join(root, folder), { recursive: true });
    const file = path.join(folder, `file${index}.ts`);
    const bytes = 200 + ((index * 7_919) % 97) ** 2 * 2;
    writeFileSync(path.join(root, file), sourceText(index, bytes));
    return file;
  });
}
