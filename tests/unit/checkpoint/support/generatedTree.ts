import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Seeded } from './seeded';

const names = [
  'a',
  'b',
  'B',
  'foo',
  'bar',
  'build',
  'Build',
  'x.log',
  'y.txt',
  'a b',
  'a.b.c',
  '#h',
  '!n',
  'é',
  '[x]',
  'star*',
  'tail ',
  '.hid',
  'f.o',
];
const parts = [
  'a',
  'b',
  'foo',
  'bar',
  'build',
  '*',
  '**',
  '?',
  '*.log',
  '*.txt',
  '[ab]',
  '[!a]',
  '[a-f]oo',
  '[A-B]*',
  '[[:upper:]]*',
  '\\#h',
  '\\!n',
  'a b',
  'tail\\ ',
  'f*',
  '*o',
  'b*r',
  '.hid',
  '***',
  'star\\*',
  '\\[x]',
  '[[]x]',
  'é',
  '?.txt',
  'x.*',
  'a.*.c',
  '[',
  '[a',
  'foo\\',
  '[]]',
  '[]-a]',
  '[a-]',
  '[^b]',
];

/** Creates files, folders, and `.gitignore` files with all kinds of patterns. */
export function generateTree(root: string, random: Seeded, depth = 3): void {
  mkdirSync(root, { recursive: true });
  for (let count = 2 + random.below(5); count > 0; count -= 1) {
    const name = random.pick(names);
    const inside = path.join(root, name);
    try {
      if (depth > 0 && random.chance(45)) generateTree(inside, random, depth - 1);
      else writeFileSync(inside, name);
    } catch {
      // A path of another kind already has this name.
    }
  }
  if (random.chance(depth === 3 ? 95 : 30)) writeFileSync(path.join(root, '.gitignore'), rules(random));
}

export function rules(random: Seeded): string {
  return (
    Array.from({ length: 1 + random.below(6) }, () => line(random)).join(random.chance(10) ? '\r\n' : '\n') +
    (random.chance(80) ? '\n' : '')
  );
}

function line(random: Seeded): string {
  if (random.chance(6)) return random.pick(['', '# comment', '/', '!', '  ', '//', '!/', '\\']);
  let pattern = random.pick(parts);
  while (random.chance(35)) pattern += `/${random.pick(parts)}`;
  if (random.chance(25)) pattern = `/${pattern}`;
  if (random.chance(30)) pattern += '/';
  if (random.chance(25)) pattern = `!${pattern}`;
  if (random.chance(8)) pattern += '  ';
  return pattern;
}
