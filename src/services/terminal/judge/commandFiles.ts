import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { guessDialects } from './parse/dialect';
import { readScript } from './parse/readScript';
import { changesFolder, innermost, innerTexts, innerWords, programName, runsCode } from './parse/innerCommands';
import { emptyCommand, type Dialect, type SimpleCommand } from './parse/script';
import { startedTexts } from './parse/startedCommands';
import { findManifests, findScripts } from './manifestFiles';
import { mountedFiles, namedScripts, runsInput } from './scriptArguments';
import { readableText } from '../../../utils/text/textFile';

/** Programs other than shells and interpreters that run the first file among their arguments. */
const scriptPrograms = new Set(
  'ts-node tsx nodemon electron vite-node esno coffee pm2 forever go java dotnet swift groovy elixir mix pypy awk gawk sed expect source . eval'.split(
    ' ',
  ),
);
/** Programs that run every file among their arguments. */
const testRunners = new Set(
  'mocha jest vitest ava tap jasmine qunit playwright cypress pytest py.test nose2 rspec phpunit bats'.split(' '),
);
/** Options, in any program, whose value is a file that the program runs. */
const loadOption = /^--?(config|require|import|loader|experimental-loader|preload|plugin|setup)(=|$)/;
const maxDepth = 6;
const maxTexts = 40;
const maxFiles = 50;
/** Maximum number of candidate paths to check on disk. */
const maxCandidates = 400;
const maxManifestBytes = 1024 * 1024;

/**
 * Lists the files that a command runs and that its words name. These are scripts, modules loaded by options, and the manifests of
 * `npm`, `make` and similar programs. Returns absolute paths of existing files with symbolic links resolved. `folder` is the
 * working directory of the command. Does not include files that the listed files load.
 */
export async function commandFiles(command: string, folder: string): Promise<string[]> {
  const finder = new FileFinder(folder);
  for (const dialect of guessDialects(command, process.platform === 'win32')) await finder.text(command, dialect, 0);
  return finder.files;
}

/** Lists the files that a program runs with these arguments, as `commandFiles` does. */
export async function programFiles(words: readonly string[], folder: string): Promise<string[]> {
  const finder = new FileFinder(folder);
  await finder.simple({ ...emptyCommand(''), words: [...words] }, 0);
  return finder.files;
}

class FileFinder {
  private readonly found = new Set<string>();
  /** Possible working directories. Relative names are resolved against each of them. */
  private folders: string[];
  private texts = 0;
  private candidates = 0;

  constructor(folder: string) {
    this.folders = [folder];
  }

  get files(): string[] {
    return [...this.found];
  }

  async text(text: string, dialect: Dialect, depth: number): Promise<void> {
    this.texts += 1;
    if (depth > maxDepth || this.texts > maxTexts) return;
    const script = await readScript(text, dialect);
    for (const command of script.commands) {
      await this.simple(command, depth);
      const [first, ...args] = command.words;
      if (changesFolder(programName(first))) for (const arg of args) if (!arg.startsWith('-')) this.enter(arg);
    }
  }

  async simple(command: SimpleCommand, depth: number): Promise<void> {
    if (depth > maxDepth) return;
    const [first, ...args] = innermost(command.words);
    if (first === undefined) return;
    await this.add(first, (base) => Promise.resolve(['.cmd', '.bat', '.ps1'].map((end) => `${base}${end}`)));
    const program = programName(first);
    for (const words of innerWords(program, args, command.sources))
      await this.simple({ ...emptyCommand(''), words, sources: command.sources }, depth + 1);
    for (const { text, dialect } of innerTexts(program, args)) await this.text(text, dialect, depth + 1);
    for (const text of startedTexts(program, args)) await this.text(text, 'bash', depth + 1);
    const runsScript = runsCode(program) || scriptPrograms.has(program);
    if (testRunners.has(program)) await this.addAll(args);
    else if (runsScript) await this.addScript(args);
    else await this.addAll(args.filter((arg, index) => loadOption.test(arg) || loadOption.test(args[index - 1] ?? '')));
    await this.addAll([...namedScripts(program, args), ...mountedFiles(program, args)]);
    if (runsScript || runsInput(program)) {
      const read = [command, ...command.inner, ...command.sources];
      await this.addAll(read.flatMap((one) => [...one.readsFrom, ...(one === command ? [] : one.words.slice(1))]));
    }
    const { files, scripts } = await this.manifests(program, args);
    await this.addAll(files);
    for (const script of scripts) {
      const before = this.folders;
      this.folders = [script.folder];
      await this.text(script.text, 'bash', depth + 1);
      this.folders = before;
    }
  }

  private async manifests(program: string, args: readonly string[]) {
    const files: string[] = [];
    const scripts: { text: string; folder: string }[] = [];
    for (const place of this.folders) {
      for (const file of await findManifests(program, args, place)) {
        files.push(file);
        if (path.basename(file) !== 'package.json') continue;
        const manifest = await readSmallFile(file);
        for (const text of findScripts(manifest, args)) scripts.push({ text, folder: path.dirname(file) });
      }
    }
    return { files, scripts };
  }

  private enter(folder: string): void {
    if (this.folders.length > 8) return;
    this.folders = [...new Set([...this.folders, ...this.folders.map((place) => path.resolve(place, folder))])];
  }

  private async addAll(words: readonly string[]): Promise<void> {
    for (const word of words) await this.add(word);
  }

  /**
   * Adds the script that an interpreter runs, the files named by options before the script, and the files named in inline code.
   */
  private async addScript(args: readonly string[]): Promise<void> {
    for (const [index, word] of args.entries()) {
      const before = args[index - 1] ?? '';
      const isValue = before.startsWith('-') && !before.includes('=');
      if (before === '-m') await this.addAll(moduleFiles(word));
      if (isValue && /\s|[("']/.test(word))
        await this.addAll([...word.matchAll(/["'`]([^"'`\s]+)["'`]/g)].map((one) => one[1] ?? ''));
      const isFile = await this.add(word);
      if (isFile && !isValue && !word.startsWith('-')) return;
    }
  }

  /** Adds the files that a word may name. Returns whether any of them exists. */
  private async add(word: string, others = moduleCandidates): Promise<boolean> {
    const name = word.replace(/^--?[\w-]+=/, '').replace(/^(\$\{?PWD\}?|\$\(pwd\))(?=\/)/, '.');
    if (name === '' || name.startsWith('-') || name.length > 1000 || name.includes('\0')) return false;
    let isFile = false;
    for (const place of this.folders) {
      const base = path.resolve(place, name);
      if (await this.addFile(base)) isFile = true;
      else for (const candidate of await others(base)) if (await this.addFile(candidate)) isFile = true;
    }
    return isFile;
  }

  private async addFile(file: string): Promise<boolean> {
    this.candidates += 1;
    if (this.candidates > maxCandidates || this.found.size >= maxFiles) return false;
    try {
      const real = await realpath(file);
      if (!(await stat(real)).isFile()) return false;
      this.found.add(real);
      return true;
    } catch {
      // Most words do not name a file.
      return false;
    }
  }
}

/** Returns the files that an interpreter may load for a module path without an extension. */
async function moduleCandidates(base: string): Promise<string[]> {
  const files = [`${base}.js`, path.join(base, 'index.js'), path.join(base, '__main__.py')];
  const manifest = path.join(base, 'package.json');
  const text = await readSmallFile(manifest);
  if (text === null) return files;
  const main = /"main"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  return [...files, manifest, ...(main === undefined ? [] : [path.resolve(base, main), path.resolve(base, `${main}.js`)])];
}

function moduleFiles(name: string): string[] {
  const base = name.replaceAll('.', '/');
  return [`${base}.py`, `${base}/__main__.py`, `${base}/__init__.py`];
}

async function readSmallFile(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size > maxManifestBytes) return null;
    const bytes = await readFile(file);
    // A shell also runs a script that contains NUL bytes.
    return readableText(bytes) ?? bytes.toString('utf8');
  } catch {
    return null;
  }
}
