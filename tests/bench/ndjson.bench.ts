import { parseNdjson } from '../../src/services/model/client/ndjson';
import { interleaved, median, report } from './support/figures';

/** Parses a byte stream into objects, compared with only `JSON.parse` on the same lines as existing strings. */

const token = (index: number) => ({
  model: 'qwen3:14b',
  created_at: '2025-05-06T10:04:00.123456789Z',
  message: { role: 'assistant', content: index % 7 === 0 ? ' größer' : ' validate' },
  done: false,
});
const call = (index: number) => ({
  model: 'qwen3:14b',
  created_at: '2025-05-06T10:04:00.123456789Z',
  message: {
    role: 'assistant',
    content: '',
    tool_calls: [
      { function: { name: 'create_file', arguments: { path: `src/${index}.ts`, content: 'const a = 1;\n'.repeat(400) } } },
    ],
  },
  done: false,
});

const cases: readonly { name: string; lines: string[]; chunk: number }[] = [
  { name: 'words, 64 KB at a time', lines: lines(40_000, token), chunk: 65_536 },
  { name: 'words, 4 KB at a time', lines: lines(40_000, token), chunk: 4096 },
  { name: 'tool calls of 5 KB, 64 KB at a time', lines: lines(2000, call), chunk: 65_536 },
];

async function main(): Promise<void> {
  for (const { name, lines, chunk } of cases) {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
      bytes.subarray(index * chunk, (index + 1) * chunk),
    );
    const alone = () => {
      for (const line of lines) see(JSON.parse(line));
    };
    await compare(name, bytes.length, chunks, alone);
  }
  // Lines arrive one by one, as from a server. Even the simplest reader then waits and decodes once per line, so it is a fair baseline.
  const chunks = lines(40_000, token).map((line) => Buffer.from(`${line}\n`));
  const plainest = async () => {
    for await (const line of source(chunks)) see(JSON.parse((line as Buffer).toString('utf8')));
  };
  await compare('words, one line at a time, to the plainest reader', Buffer.concat(chunks).length, chunks, plainest);
}

async function compare(name: string, bytes: number, chunks: readonly Uint8Array[], baseline: () => unknown): Promise<void> {
  const ours = async () => {
    for await (const value of parseNdjson(source(chunks))) see(value);
  };
  const [own = [], other = []] = await interleaved(30, [ours, baseline]);
  const megabytesPerSecond = (times: number[]) => bytes / 1000 / median(times);
  report('ndjson', name, 'MB/s', megabytesPerSecond(own), megabytesPerSecond(other), 'ratio ≥ 0.7');
}

let seen = 0;

/** Uses the value, so that the JavaScript engine cannot optimize the parsing away. */
function see(value: unknown): void {
  if ((value as { done: boolean }).done === false) seen += 1;
}

function lines(count: number, make: (index: number) => object): string[] {
  return Array.from({ length: count }, (_, index) => JSON.stringify(make(index)));
}

/** Returns a source without the overhead of a generator, which a network stream does not have either. */
function source(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  let index = 0;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const value = chunks[index];
    index += 1;
    return value === undefined ? { done: true, value: undefined } : { done: false, value };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

void main().then(() => {
  if (seen === 0) throw new Error('Nothing was read');
});
