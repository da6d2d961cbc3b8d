import { median, report } from './support/figures';
import { openViewPage, type ViewPage } from './support/viewPage';

/**
 * An answer of 20 KB that comes in 500 pieces, against showing all that is there anew for each piece; and what one more piece
 * costs a very long answer, against what it costs a short one. In a browser, with layout.
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
  for (let round = 0; round < 5; round += 1) {
    streams.push(sum(await page.call('stream', '', pieces)));
    // A sample of the pieces stands for all: each takes as long as its neighbours. Different words, so that nothing is remembered.
    let whole = 0;
    for (let index = 10; index < 500; index += 20) {
      const soFar = text.slice(0, (index + 1) * size).replaceAll('parser', `parser ${round}-${index}`);
      whole += 20 * (await page.call('whole', soFar));
    }
    wholes.push(whole);
  }
  report('markdown', '20 KB in 500 pieces', 'ms', median(streams), median(wholes), 'ratio ≤ 0.05');
}

async function longAnswer(page: ViewPage, name: string, long: string, short: string): Promise<void> {
  const pieces = Array.from({ length: 100 }, (_, index) => (index % 10 === 9 ? ' word\n' : ' some words'));
  const longs: number[] = [];
  const shorts: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    longs.push(...(await page.call('stream', long, pieces)));
    shorts.push(...(await page.call('stream', short, pieces)));
  }
  report('markdown', `one piece more of ${name}, p50`, 'ms', median(longs), median(shorts), 'ratio ≤ 4');
}

const sum = (times: readonly number[]) => times.reduce((total, time) => total + time, 0);

async function main(): Promise<void> {
  const page = await openViewPage();
  try {
    await streaming(page);
    await longAnswer(page, '2 MB, to 20 KB', answer(2_000_000), answer(20_000));
    const line = "  ['key', 1234567],\n";
    await longAnswer(
      page,
      '100,000 lines of code, to 1,000',
      `\`\`\`js\n${line.repeat(100_000)}`,
      `\`\`\`js\n${line.repeat(1000)}`,
    );
    await longAnswer(page, 'a paragraph of 200,000 characters, to 2,000', 'word '.repeat(40_000), 'word '.repeat(400));
  } finally {
    await page.close();
  }
}

void main();
