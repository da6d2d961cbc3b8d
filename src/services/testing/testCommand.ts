import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep, win32 } from 'node:path';
import { isDirectory } from '../../utils/files/isDirectory';
import { programPlaces } from '../../utils/programPlaces';
import { shellWord } from '../../utils/shellWord';
import { readableText } from '../../utils/text/textFile';

/** Tests to run: the tests of a file or folder, the tests with these words in their name, or all tests. */
export interface WantedTests {
  /** Absolute path in the workspace folder. */
  path?: string;
  name?: string;
}

export interface TestCommand {
  runner: string;
  command: string;
  folder: string;
}

interface Place {
  folder: string;
  names: ReadonlySet<string>;
  /** Path relative to `folder`, with `/`. Null for all tests. */
  inside: string | null;
  isFolder: boolean;
  name: string | undefined;
  isWindows: boolean;
  /** Returns the command word with which the shell runs a package manager. */
  call: (manager: string) => string;
}

/** Computer that runs the tests. */
export interface TestComputer {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  isFile: (file: string) => boolean;
}

const thisComputer: TestComputer = { platform: process.platform, env: process.env, isFile: existsSync };

type Finder = (place: Place) => Promise<{ runner: string; words: string[] } | null>;

/**
 * Finds the test runner of a project by its files. Uses the nearest runner between the requested path and the workspace folder.
 * Resolves with null if no runner is known. Downloads nothing, so a package runs only if it is installed.
 */
export async function findTestCommand(
  root: string,
  { path, name }: WantedTests,
  computer: TestComputer = thisComputer,
): Promise<TestCommand | null> {
  const { platform } = computer;
  const call = (manager: string) => managerCall(manager, computer);
  const isFolder = path === undefined || (await isDirectory(path));
  for (let folder = path === undefined ? root : isFolder ? path : dirname(path); ; folder = dirname(folder)) {
    const names = new Set(await readdir(folder).catch(() => []));
    const inside = path === undefined ? '' : relative(folder, path).split(sep).join('/');
    const place = { folder, names, inside: inside === '' ? null : inside, isFolder, name, isWindows: platform === 'win32', call };
    for (const find of finders) {
      const found = await find(place);
      if (found === null) continue;
      return { runner: found.runner, command: found.words.map((word) => shellWord(word, platform)).join(' '), folder };
    }
    if (folder === root || dirname(folder) === folder) return null;
  }
}

const finders: readonly Finder[] = [javaScript, python, go, rust, maven, gradle, dotnet];

async function javaScript({ folder, names, inside, name, call }: Place) {
  if (!names.has('package.json')) return null;
  const { scripts, packages } = await readPackage(join(folder, 'package.json'));
  const script = scripts['test'];
  const runner = ['vitest', 'jest', 'mocha'].find((one) => packages.has(one) || new RegExp(`\\b${one}\\b`).test(script ?? ''));
  const file = inside === null ? [] : [inside];
  const npx = [call('npx'), '--no-install'];
  if (script !== undefined && inside === null && name === undefined) {
    return { runner: runner ?? manager(names), words: [call(manager(names)), 'test'] };
  }
  if (runner === 'vitest') return { runner, words: [...npx, 'vitest', 'run', ...file, ...option('-t', name)] };
  if (runner === 'jest') return { runner, words: [...npx, 'jest', ...file, ...option('-t', name)] };
  if (runner === 'mocha') return { runner, words: [...npx, 'mocha', ...file, ...option('--grep', name)] };
  const usesNode =
    /\bnode\b.*--test\b/.test(script ?? '') || (script === undefined && /\.(test|spec)\.[cm]?js$/.test(inside ?? ''));
  if (usesNode) return { runner: 'node --test', words: ['node', '--test', ...pattern('--test-name-pattern', name), ...file] };
  // The options of an unknown script are not known, so path and name are passed unchanged.
  return script === undefined
    ? null
    : { runner: manager(names), words: [call(manager(names)), 'test', '--', ...file, ...(name ? [name] : [])] };
}

async function python({ folder, names, inside, name, isWindows }: Place) {
  const marks = ['pytest.ini', 'conftest.py', 'pyproject.toml', 'setup.cfg', 'setup.py', 'tox.ini', 'requirements.txt'];
  const isPython = marks.some((mark) => names.has(mark)) || inside?.endsWith('.py') === true;
  if (!isPython) return null;
  const interpreter = isWindows ? 'python' : 'python3';
  const texts = await Promise.all(
    marks.filter((mark) => names.has(mark)).map((mark) => readTextFile(join(folder, mark)).catch(() => '')),
  );
  const usesUnittest = !names.has('conftest.py') && !names.has('pytest.ini') && !texts.some((text) => text.includes('pytest'));
  if (usesUnittest) {
    const target = inside === null ? ['discover'] : [inside];
    return { runner: 'unittest', words: [interpreter, '-m', 'unittest', ...target, ...option('-k', name)] };
  }
  return { runner: 'pytest', words: [interpreter, '-m', 'pytest', ...(inside === null ? [] : [inside]), ...option('-k', name)] };
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

async function maven({ names, inside, name, isWindows }: Place) {
  if (!names.has('pom.xml')) return null;
  const type = inside === null ? undefined : /([\w$]+)\.(?:java|kt)$/.exec(inside)?.[1];
  const wanted = type === undefined ? name : name === undefined ? type : `${type}#${name}`;
  const program = wrapper(names, isWindows ? 'mvnw.cmd' : 'mvnw') ?? 'mvn';
  return Promise.resolve({ runner: 'maven', words: [program, 'test', ...(wanted === undefined ? [] : [`-Dtest=${wanted}`])] });
}

async function gradle({ names, inside, name, isWindows }: Place) {
  if (!names.has('build.gradle') && !names.has('build.gradle.kts')) return null;
  const type = inside === null ? undefined : /([\w$]+)\.(?:java|kt|groovy)$/.exec(inside)?.[1];
  const wanted = type === undefined ? name : name === undefined ? type : `${type}.${name}`;
  const program = wrapper(names, isWindows ? 'gradlew.bat' : 'gradlew') ?? 'gradle';
  return Promise.resolve({ runner: 'gradle', words: [program, 'test', ...option('--tests', wanted)] });
}

async function dotnet({ names, name }: Place) {
  if (![...names].some((one) => /\.(sln|slnx|csproj|fsproj|vbproj)$/.test(one))) return null;
  return Promise.resolve({ runner: 'dotnet', words: ['dotnet', 'test', ...option('--filter', name)] });
}

function option(flag: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [flag, value];
}

/** Returns an option whose value is escaped for a regular expression. */
function pattern(flag: string, value: string | undefined): string[] {
  return option(flag, value?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
}

/**
 * Returns the command for a script next to the project file; null if the script is missing. cmd does not run scripts with `./`.
 */
function wrapper(names: ReadonlySet<string>, script: string): string | null {
  if (!names.has(script)) return null;
  return /\.(cmd|bat)$/.test(script) ? `.\\${script}` : `./${script}`;
}

/**
 * Returns the file name of a package manager on Windows, `pnpm.cmd` or `pnpm.exe`. Without an extension, PowerShell prefers
 * `pnpm.ps1`, which Windows does not run by default.
 */
function managerCall(name: string, { platform, env, isFile }: TestComputer): string {
  if (platform !== 'win32') return name;
  const found = programPlaces(name, env, platform).find(isFile);
  if (found !== undefined) return win32.basename(found).toLowerCase();
  return name === 'npm' || name === 'npx' ? `${name}.cmd` : name;
}

function manager(names: ReadonlySet<string>): string {
  if (names.has('pnpm-lock.yaml')) return 'pnpm';
  if (names.has('yarn.lock')) return 'yarn';
  return names.has('bun.lock') || names.has('bun.lockb') ? 'bun' : 'npm';
}

async function readTextFile(file: string): Promise<string> {
  return readableText(await readFile(file)) ?? '';
}

async function readPackage(file: string): Promise<{ scripts: Record<string, string>; packages: Set<string> }> {
  try {
    const { scripts, dependencies, devDependencies } = JSON.parse(await readTextFile(file)) as Record<string, unknown>;
    const texts = Object.entries(scripts ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return {
      scripts: Object.fromEntries(texts),
      packages: new Set(Object.keys({ ...asObject(dependencies), ...asObject(devDependencies) })),
    };
  } catch {
    // The test runner reports a broken file itself.
    return { scripts: {}, packages: new Set() };
  }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

export function wantedLabel(path: string | undefined, name: string | undefined): string {
  return [path === undefined ? '' : basename(path), name ?? ''].filter((part) => part !== '').join(' · ');
}
