import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Length in bytes of two checksums: one for the sources of the cache and one for its data. */
const checksumBytes = 8;

/**
 * Loads bundle files from V8's code cache, so that they are not compiled again at each start. See
 * `docs/decisions/0012-code-cache.md`. Without a valid cache, compiles the files normally.
 */
export class CodeCache {
  private readonly loaded = new Map<string, { exports: unknown }>();
  private readonly folder: string;
  private readonly requireOther: NodeJS.Require;

  /**
   * Creates the cache. `file` is a file of the bundle and `caches` is the cache folder. Both are
   * absolute paths. `whenSettled` schedules cache writes.
   */
  constructor(
    file: string,
    private readonly caches: string,
    private readonly whenSettled = afterStart,
  ) {
    this.folder = path.dirname(file);
    // The editor identifies an extension that requires `vscode` by its real path.
    this.requireOther = createRequire(file);
  }

  /** Returns the exports of a CommonJS file named `./name.js`. Loads its own `./` imports in the same way. */
  load(name: string): unknown {
    const known = this.loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.loaded.set(name, module);
    try {
      this.run(module, path.join(this.folder, name));
    } catch (error) {
      // Allow the next call to retry.
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
    const sum = computeChecksum(source);
    const cachedData = readCache(cache, sum);
    const wrapped = `(function (exports, require, module, __filename, __dirname) { ${source}\n})`;
    // Required for `import()` in a script, which the grammar runtime uses.
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const script = new Script(wrapped, { filename: file, cachedData, importModuleDynamically });
    if (cachedData === undefined || script.cachedDataRejected === true) {
      this.whenSettled(() => writeCache(cache, sum, script));
    }
    return script;
  }
}

/** Calls `write` some time after the start. By then, the required functions are compiled. */
function afterStart(write: () => Promise<void>): void {
  setTimeout(() => void write(), 5_000).unref();
}

/** Returns a checksum of everything that the cache depends on. V8 itself only checks the length of the source. */
function computeChecksum(source: string): number {
  const { versions, arch, platform } = process;
  return crc32(source, crc32(JSON.stringify([versions, arch, platform])));
}

/** Reads a cache. Returns undefined if it does not match the source or is damaged. V8 does not verify the data itself. */
function readCache(file: string, sum: number): Buffer | undefined {
  try {
    const content = readFileSync(file);
    const data = content.subarray(checksumBytes);
    const fits = content.readUInt32LE(0) === sum && content.readUInt32LE(4) === crc32(data);
    return fits ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a cache. A partly written cache fails its checksum and is rebuilt at the next start. */
async function writeCache(file: string, sum: number, script: Script): Promise<void> {
  const data = script.createCachedData();
  const head = Buffer.alloc(checksumBytes);
  head.writeUInt32LE(sum, 0);
  head.writeUInt32LE(crc32(data), 4);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, Buffer.concat([head, data]));
  } catch {
    // Without a cache, the files are compiled again at the next start.
  }
}
