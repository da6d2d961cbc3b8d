import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Length of two check sums: of what the cache was made from, and of its data. */
const headBytes = 8;

/**
 * Loads the files of a bundle with what V8 made of them the last time, so that a start does not compile them again; see
 * `docs/decisions/0012-code-cache.md`. Without a cache that fits, or a place for one, they are compiled as ever.
 */
export class CodeCache {
  private readonly loaded = new Map<string, { exports: unknown }>();
  private readonly folder: string;
  private readonly requireOther: NodeJS.Require;

  /** A file of the bundle, the folder of the caches, both absolute, and when to write one. */
  constructor(
    file: string,
    private readonly caches: string,
    private readonly whenSettled = afterStart,
  ) {
    this.folder = path.dirname(file);
    // The editor looks up by a real path who asks for `vscode`.
    this.requireOther = createRequire(file);
  }

  /** Returns the exports of a CommonJS file, by its name as `./name.js`; what it asks for by such a name comes from here too. */
  load(name: string): unknown {
    const known = this.loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.loaded.set(name, module);
    try {
      this.run(module, path.join(this.folder, name));
    } catch (error) {
      // The next who asks for it may be luckier.
      this.loaded.delete(name);
      throw error;
    }
    return module.exports;
  }

  private run(module: { exports: unknown }, file: string): void {
    const run = this.compile(file).runInThisContext() as (...args: unknown[]) => void;
    const require = (request: string): unknown =>
      request.startsWith('./') ? this.load(request) : (this.requireOther(request) as unknown);
    run.call(module.exports, module.exports, require, module, file, this.folder);
  }

  private compile(file: string): Script {
    const source = readFileSync(file, 'utf8');
    const cache = path.join(this.caches, `${path.basename(file)}.cache`);
    const sum = sumOf(source);
    const cachedData = readCache(cache, sum);
    const wrapped = `(function (exports, require, module, __filename, __dirname) { ${source}\n})`;
    // Without a loader a script may not call `import()`, as the runtime of the grammars does.
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const script = new Script(wrapped, { filename: file, cachedData, importModuleDynamically });
    if (cachedData === undefined || script.cachedDataRejected === true) {
      this.whenSettled(() => writeCache(cache, sum, script));
    }
    return script;
  }
}

/** Calls `write` after the start, when what it needed has been compiled. */
function afterStart(write: () => Promise<void>): void {
  setTimeout(() => void write(), 5_000).unref();
}

/** Returns the check sum of everything a cache depends on: V8 itself looks only at the length of the source. */
function sumOf(source: string): number {
  const { versions, arch, platform } = process;
  return crc32(source, crc32(JSON.stringify([versions, arch, platform])));
}

/** Reads a cache; undefined if there is none of this source, or not all of it is as it was written: V8 believes what it is given. */
function readCache(file: string, sum: number): Buffer | undefined {
  try {
    const content = readFileSync(file);
    const data = content.subarray(headBytes);
    const fits = content.readUInt32LE(0) === sum && content.readUInt32LE(4) === crc32(data);
    return fits ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a cache. One that was written in part fails its check sum and is made again at the next start. */
async function writeCache(file: string, sum: number, script: Script): Promise<void> {
  const data = script.createCachedData();
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(sum, 0);
  head.writeUInt32LE(crc32(data), 4);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, Buffer.concat([head, data]));
  } catch {
    // The next start compiles again, which nobody needs to hear of.
  }
}
