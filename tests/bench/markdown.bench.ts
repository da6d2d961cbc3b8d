import { large, many, median, report } from './support/figures';
import { openViewPage, type ViewPage } from './support/viewPage';

/**
 * Renders an answer of 20 KB that arrives in 500 pieces, compared with rendering the whole text for each piece. Also very long answers,
 * compared with the simplest page and the simplest list in Vue with the same text. Runs in a browser, with layout.
 */

const section = (index: number) => `## Step ${index}

The parser walks *every* line once and keeps **three** counters; see [the notes](https://example.org/notes) or \`parse()\`.

1. Open the file.
2. Read it in pieces of 64 KB:
   \`\`\`ts
   for await (const piece of stream) feed(piece);
   \`\`\`

\`\`\`typescript
export function parse${index}(text: string): Result {
  return text.split('\\n').reduce((result, line) => result.with(line), Result.empty);
}
\`\`\`

| Case | Time | Memory |
|:-----|-----:|-------:|
| small | 1 ms | 2 MB |
| large | 80 ms | 9 MB |

`;

function answer(size: number): string {
  let text = '';
  for (let index = 1; text.length < size; index += 1) text += section(index);
  return text.slice(0, size);
}

async function streaming(page: ViewPage): Promise<void> {
  const text = answer(20_000);
  const size = text.length / 500;
  const pieces = Array.from({ length: 500 }, (_, index) => text.slice(index * size, (index + 1) * size));
  await page.call('stream', '', pieces);
  const streams: number[] = [];
  const wholes: number[] = [];
  for (let round = 0; round < many(5); round += 1) {
    streams.push(sum(await page.call('stream', '', pieces)));
    // Measures a sample, because neighbouring pieces take about the same time. The words differ, so that no cache helps.
    let whole = 0;
    for (let index = 10; index < 500; index += 20) {
      const soFar = text.slice(0, (index + 1) * size).replaceAll('parser', `parser ${round}-${index}`);
      whole += 20 * (await page.call('whole', soFar));
    }
    wholes.push(whole);
  }
  report('markdown', '20 KB in 500 pieces', 'ms', median(streams), median(wholes), 'ratio ≤ 0.05');
}

async function growing(page: ViewPage, name: string, long: string): Promise<void> {
  const pieces = Array.from({ length: 60 }, (_, index) => (index % 10 === 9 ? ' word\n' : ' some words'));
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    ours.push(...(await page.call('stream', long, pieces)));
    plain.push(...(await page.call('plainStream', long, pieces)));
  }
  report('markdown', `one piece more of ${name}`, 'ms', median(ours), median(plain), 'ratio ≤ 1');
}

async function atOnce(page: ViewPage, name: string, text: string): Promise<void> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    ours.push(await page.call('whole', text));
    plain.push(await page.call('plainList', text.split('\n')));
  }
  report('markdown', `${name} at once`, 'ms', median(ours), median(plain), 'ratio ≤ 1');
}

const sum = (times: readonly number[]) => times.reduce((total, time) => total + time, 0);

async function main(): Promise<void> {
  const page = await openViewPage();
  try {
    await streaming(page);
    const code = `\`\`\`js\n${"  ['key', 1234567],\\n".repeat(large(10_000))}`;
    const megabytes = answer(large(2_000_000));
    await growing(page, '2 MB', megabytes);
    await growing(page, '10,000 lines of code', code);
    await growing(page, 'a line of 200,000 characters', 'word '.repeat(large(40_000)));
    await atOnce(page, '2 MB', megabytes);
    await atOnce(page, '10,000 lines of code', `${code}\`\`\``);
    await atOnce(page, 'a list of 20,000 items', '- item with *some* words and `code`\n'.repeat(large(20_000)));
  } finally {
    await page.close();
  }
}

void main();
