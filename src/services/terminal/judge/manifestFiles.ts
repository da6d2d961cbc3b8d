import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** Files in the working directory that define what a program runs. */
const manifests = new Map([
  ...['npm', 'yarn', 'pnpm', 'bun', 'npm-run-all', 'run-s', 'run-p'].map((manager): [string, string] => [
    manager,
    'package.json',
  ]),
  ['make', 'GNUmakefile makefile Makefile'],
  ['gmake', 'GNUmakefile makefile Makefile'],
  ['just', 'justfile Justfile .justfile'],
  ['rake', 'Rakefile rakefile Rakefile.rb'],
  ['task', 'Taskfile.yml Taskfile.yaml'],
  ['composer', 'composer.json'],
  ['deno', 'deno.json deno.jsonc'],
  ['invoke', 'tasks.py'],
  ['inv', 'tasks.py'],
  ['nox', 'noxfile.py'],
  ['tox', 'tox.ini'],
  ['gulp', 'gulpfile.js gulpfile.mjs gulpfile.ts'],
  ['grunt', 'Gruntfile.js'],
]);
/** Options that name another folder or manifest. */
const placeOption = /^(--prefix|--cwd|--dir|--directory|-C|-w|--workspace|-f|--file|--makefile|--justfile)(?:=(.*))?$/;

/** Finds the manifests that a program reads, such as `package.json` for npm or the makefile for make. */
export async function findManifests(program: string, args: readonly string[], folder: string): Promise<string[]> {
  const names = manifests.get(isNodeRun(program, args) ? 'npm' : program)?.split(' ');
  if (names === undefined) return [];
  const isManager = names[0] === 'package.json';
  const given = args.flatMap((arg, index) => {
    const [, option, value] = placeOption.exec(arg) ?? [];
    return option === undefined ? [] : [path.resolve(folder, value ?? args[index + 1] ?? '.')];
  });
  const found: string[] = [];
  for (const place of [folder, ...given]) {
    if (await isFile(place)) found.push(place);
    for (const name of names) if (await isFile(path.join(place, name))) found.push(path.join(place, name));
  }
  for (let place = folder; isManager && found.length === 0 && place !== path.dirname(place);) {
    place = path.dirname(place);
    if (await isFile(path.join(place, 'package.json'))) found.push(path.join(place, 'package.json'));
  }
  return found;
}

/** Returns whether the call is `node --run NAME`, which runs a script of `package.json`. */
function isNodeRun(program: string, args: readonly string[]): boolean {
  return program === 'node' && args.some((arg) => /^--run(=|$)/.test(arg));
}

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()) });
/** Scripts that a subcommand runs in addition to the script with its own name. */
const additionalScripts = new Map([
  ['t', ['test']],
  ['tst', ['test']],
  ['restart', ['stop', 'start']],
  ...['install', 'i', 'ci', 'add', 'it', 'rebuild'].map((name): [string, string[]] => [name, ['install', 'prepare']]),
]);

/**
 * Returns the scripts of a `package.json` that a package manager call runs, including their `pre` and `post` scripts. As in
 * `npm-run-all`, `a:*` matches all scripts whose name begins with `a:`.
 */
export function findScripts(manifest: string | null, args: readonly string[]): string[] {
  const scripts = scriptsIn(manifest);
  const given = args.map((arg) => arg.replace(/^--run=/, ''));
  const called = given.flatMap((arg) => [arg, ...(additionalScripts.get(arg) ?? []), ...matching(arg, scripts)]);
  const names = called.flatMap((name) => [`pre${name}`, name, `post${name}`]);
  return [...new Set(names)].flatMap((name) => scripts.get(name) ?? []);
}

function matching(pattern: string, scripts: ReadonlyMap<string, string>): string[] {
  const [start = '', ...others] = pattern.split('*');
  return others.length > 0 ? [...scripts.keys()].filter((name) => name.startsWith(start)) : [];
}

function scriptsIn(manifest: string | null): ReadonlyMap<string, string> {
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(manifest ?? ''));
    return new Map(parsed.success ? Object.entries(parsed.data.scripts) : []);
  } catch {
    return new Map();
  }
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
