import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Recording, Section } from './typingSession';

/** Functions in this repository that are typed, by their first and last line. */
const typed: readonly { file: string; from: string; to: string }[] = [
  { file: 'src/completion/flow/prefixTrie.ts', from: '  set(key: string, value: T): void {', to: '  }' },
  { file: 'src/agent/loop/answerRequester.ts', from: '  private async recordCall(', to: '  }' },
  { file: 'src/services/checkpoint/engine/manifests/snapshotTaker.ts', from: '  private hinted(', to: '  }' },
];

/** Maximum number of keys per function. */
const longest = 300;

/** Simulates how a user types these functions, key by key. The fixed seed gives the same result each time. */
function record(): Recording {
  const random = seeded(7);
  return { sections: typed.map((one) => section(one, random)) };
}

function section({ file, from, to }: (typeof typed)[number], random: () => number): Section {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(`\n${from}`) + 1;
  const body = text.indexOf('\n', start);
  const end = text.indexOf(`\n${to}\n`, body) + to.length + 1;
  const keys: Section['keys'] = [];
  for (const key of keysOf(text.slice(start, end)).slice(0, longest)) {
    const gap = pause(key, random);
    if (random() < 0.02 && /^\w$/.test(key)) keys.push([gap, 'q'], [Math.round(gap * 1.5), '\b'], [160, key]);
    else keys.push([gap, key]);
  }
  return { path: file, before: text.slice(0, start), text: text.slice(start, end), after: text.slice(end), keys };
}

/** Returns the keys of a text. Indentation belongs to the line break, because editors insert it. */
function keysOf(text: string): string[] {
  return text.match(/\n[ \t]*|[^\n]/g) ?? [];
}

/** Returns the milliseconds before a key: mostly short, sometimes long, and longer before a new line, for thinking. */
function pause(key: string, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  if (random() < 0.04) return Math.round(1000 + random() * 1500);
  const median = key.startsWith('\n') ? 450 : /\W/.test(key) ? 230 : 180;
  return Math.round(Math.max(50, median * Math.exp(0.55 * normal)));
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

writeFileSync(path.join('tests', 'bench', 'fixtures', 'typing.json'), `${JSON.stringify(record())}\n`);
