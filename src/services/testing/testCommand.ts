import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isDirectory } from '../../utils/files/isDirectory';
import { shellWord } from '../../utils/shellWord';

/** Tests that are wanted: of one file or folder, of those whose name has some words; of all without both. */
export interface WantedTests {
  /** Absolute, in the workspace folder. */
  path?: string;
  name?: string;
}

/** A command that runs tests, and the folder to run it in. */
export interface TestCommand {
  runner: string;
  command: string;
  folder: string;
}

interface Place {
  folder: string;
  names: ReadonlySet<string>;
  /** Path from the folder to what is wanted, with `/`; null for all of it. */
  inside: string | null;
  isFolder: boolean;
  name: string | undefined;
}

type Finder = (place: Place) => Promise<{ runner: string; words: string[] } | null>;

/**
 * Finds the runner of a project by its files: the nearest to what is wanted, from there up to the workspace folder. Null where none is known.
 * Nothing is fetched: a program of the project's packages runs only where it is installed.
 */
export async function findTestCommand(root: string, { path, name }: WantedTests): Promise<TestCommand | null> {
  const isFolder = path === undefined || (await isDirectory(path));
  for (let folder = path === undefined ? root : isFolder ? path : dirname(path); ; folder = dirname(folder)) {
    const names = new Set(await readdir(folder).catch(() => []));
    const inside = path === undefined ? '' : relative(folder, path).split(sep).join('/');
    const place = { folder, names, inside: inside === '' ? null : inside, isFolder, name };
    for (const find of finders) {
      const found = await find(place);
      if (found !== null) return { runner: found.runner, command: found.words.map((word) => shellWord(word)).join(' '), folder };
    }
    if (folder === root || dirname(folder) === folder) return null;
  }
}

const finders: readonly Finder[] = [javaScript, python, go, rust, maven, gradle, dotnet];

async function javaScript({ folder, names, inside, name }: Place) {
  if (!names.has('package.json')) return null;
  const { scripts, packages } = await readPackage(join(folder, 'package.json'));
  const script = scripts['test'];
  const runner = ['vitest', 'jest', 'mocha'].find((one) => packages.has(one) || new RegExp(`\\b${one}\\b`).test(script ?? ''));
  const file = inside === null ? [] : [inside];
  if (script !== undefined && inside === null && name === undefined) {
    return { runner: runner ?? manager(names), words: [manager(names), 'test'] };
  }
  if (runner === 'vitest') return { runner, words: ['npx', '--no-install', 'vitest', 'run', ...file, ...option('-t', name)] };
  if (runner === 'jest') return { runner, words: ['npx', '--no-install', 'jest', ...file, ...option('-t', name)] };
  if (runner === 'mocha') return { runner, words: ['npx', '--no-install', 'mocha', ...file, ...option('--grep', name)] };
  const usesNode =
    /\bnode\b.*--test\b/.test(script ?? '') || (script === undefined && /\.(test|spec)\.[cm]?js$/.test(inside ?? ''));
  if (usesNode) return { runner: 'node --test', words: ['node', '--test', ...pattern('--test-name-pattern', name), ...file] };
  // A script takes what it takes: what is wanted is handed to it as it is.
  return script === undefined
    ? null
    : { runner: manager(names), words: [manager(names), 'test', '--', ...file, ...(name ? [name] : [])] };
}

async function python({ folder, names, inside, name }: Place) {
  const marks = ['pytest.ini', 'conftest.py', 'pyproject.toml', 'setup.cfg', 'setup.py', 'tox.ini', 'requirements.txt'];
  const isPython = marks.some((mark) => names.has(mark)) || inside?.endsWith('.py') === true;
  if (!isPython) return null;
  const program = process.platform === 'win32' ? 'python' : 'python3';
  const texts = await Promise.all(
    marks.filter((mark) => names.has(mark)).map((mark) => readFile(join(folder, mark), 'utf8').catch(() => '')),
  );
  const usesUnittest = !names.has('conftest.py') && !names.has('pytest.ini') && !texts.some((text) => text.includes('pytest'));
  if (usesUnittest) {
    const target = inside === null ? ['discover'] : [inside];
    return { runner: 'unittest', words: [program, '-m', 'unittest', ...target, ...option('-k', name)] };
  }
  return { runner: 'pytest', words: [program, '-m', 'pytest', ...(inside === null ? [] : [inside]), ...option('-k', name)] };
}

async function go({ names, inside, isFolder, name }: Place) {
  if (!names.has('go.mod')) return null;
  const folder = inside === null ? null : isFolder ? inside : dirname(inside);
  const target = folder === null ? './...' : folder === '.' ? '.' : `./${folder}`;
  return Promise.resolve({ runner: 'go test', words: ['go', 'test', target, ...option('-run', name)] });
}

async function rust({ names, inside, name }: Place) {
  if (!names.has('Cargo.toml')) return null;
  const file = /^tests\/([\w-]+)\.rs$/.exec(inside ?? '')?.[1];
  return Promise.resolve({ runner: 'cargo test', words: ['cargo', 'test', ...option('--test', file), ...(name ? [name] : [])] });
}

async function maven({ names, inside, name }: Place) {
  if (!names.has('pom.xml')) return null;
  const type = inside === null ? undefined : /([\w$]+)\.(?:java|kt)$/.exec(inside)?.[1];
  const wanted = type === undefined ? name : name === undefined ? type : `${type}#${name}`;
  const program = names.has('mvnw') ? './mvnw' : 'mvn';
  return Promise.resolve({ runner: 'maven', words: [program, 'test', ...(wanted === undefined ? [] : [`-Dtest=${wanted}`])] });
}

async function gradle({ names, inside, name }: Place) {
  if (!names.has('build.gradle') && !names.has('build.gradle.kts')) return null;
  const type = inside === null ? undefined : /([\w$]+)\.(?:java|kt|groovy)$/.exec(inside)?.[1];
  const wanted = type === undefined ? name : name === undefined ? type : `${type}.${name}`;
  const program = names.has('gradlew') ? './gradlew' : 'gradle';
  return Promise.resolve({ runner: 'gradle', words: [program, 'test', ...option('--tests', wanted)] });
}

async function dotnet({ names, name }: Place) {
  if (![...names].some((one) => /\.(sln|slnx|csproj|fsproj|vbproj)$/.test(one))) return null;
  return Promise.resolve({ runner: 'dotnet', words: ['dotnet', 'test', ...option('--filter', name)] });
}

function option(flag: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [flag, value];
}

/** Returns an option whose value is a regular expression. */
function pattern(flag: string, value: string | undefined): string[] {
  return option(flag, value?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
}

function manager(names: ReadonlySet<string>): string {
  if (names.has('pnpm-lock.yaml')) return 'pnpm';
  if (names.has('yarn.lock')) return 'yarn';
  return names.has('bun.lock') || names.has('bun.lockb') ? 'bun' : 'npm';
}

async function readPackage(file: string): Promise<{ scripts: Record<string, string>; packages: Set<string> }> {
  try {
    const { scripts, dependencies, devDependencies } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    const texts = Object.entries(scripts ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return {
      scripts: Object.fromEntries(texts),
      packages: new Set(Object.keys({ ...asObject(dependencies), ...asObject(devDependencies) })),
    };
  } catch {
    // Who broke it is told by the runner itself, if there is one.
    return { scripts: {}, packages: new Set() };
  }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Returns the shown name of what is wanted, for a row. */
export function wantedLabel(path: string | undefined, name: string | undefined): string {
  return [path === undefined ? '' : basename(path), name ?? ''].filter((part) => part !== '').join(' · ');
}
