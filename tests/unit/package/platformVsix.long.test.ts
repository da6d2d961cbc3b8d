import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { contentsOf } from './contents';
import { manifest, repository } from './manifest';

const run = promisify(execFile);
const own = `${process.platform}-${process.arch}`;

/** Part of the interface of the archive reader that comes with the packager. */
interface Archive {
  open(file: string, options: object, done: (error: Error | null, archive: Opened) => void): void;
}
interface Opened extends NodeJS.EventEmitter {
  readEntry(): void;
  openReadStream(entry: { fileName: string }, done: (error: Error | null, stream: NodeJS.ReadableStream) => void): void;
}

/** Unpacks the code of a package. Resolves to the names of all its files. */
async function unpack(vsix: string, folder: string): Promise<string[]> {
  const reader = createRequire(path.join(repository, 'node_modules/@vscode/vsce/package.json'))('yauzl') as Archive;
  const archive = await new Promise<Opened>((resolve, reject) =>
    reader.open(vsix, { lazyEntries: true }, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    }),
  );
  const names: string[] = [];
  await new Promise<void>((resolve, reject) => {
    archive.on('end', resolve).on('error', reject);
    archive.on('entry', (entry: { fileName: string }) => {
      names.push(entry.fileName);
      const { fileName } = entry;
      if (!/^extension\/dist\/[^/]*\.(js|node)$/.test(fileName)) {
        archive.readEntry();
        return;
      }
      archive.openReadStream(entry, (error, stream) => {
        if (error !== null) {
          reject(error);
          return;
        }
        pipeline(stream, createWriteStream(path.join(folder, path.basename(fileName)))).then(() => archive.readEntry(), reject);
      });
    });
    archive.readEntry();
  });
  return names;
}

/** Converts file names in a package to their names in the source. The packager renames some files and adds two. */
function inSource(names: string[]): string[] {
  const renamed: Record<string, string> = { 'readme.md': 'README.md', 'changelog.md': 'CHANGELOG.md', 'LICENSE.txt': 'LICENSE' };
  return names
    .filter((name) => name.startsWith('extension/'))
    .map((name) => name.slice('extension/'.length))
    .map((name) => renamed[name] ?? name)
    .sort();
}

describe('the package for all platforms', () => {
  it('has what would be packed', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-vsix-'));
    try {
      await run(process.execPath, [path.join(repository, 'scripts/package.mjs')], { cwd: repository });
      const names = await unpack(path.join(repository, `ollama-copilot-${manifest.version}.vsix`), folder);
      assert.deepEqual(inSource(names), contentsOf(undefined));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the package for this platform', () => {
  it('has LanceDB, which answers from there', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-vsix-'));
    const vsix = path.join(folder, 'own.vsix');
    try {
      await run(process.execPath, [path.join(repository, 'scripts/package.mjs'), '--target', own, '--out', vsix], {
        cwd: repository,
      });
      await mkdir(path.join(folder, 'dist'));
      const names = await unpack(vsix, path.join(folder, 'dist'));
      assert.deepEqual(inSource(names), contentsOf(own));
      const script = `
        const { connect } = require(${JSON.stringify(path.join(folder, 'dist', 'lancedb.js'))});
        void (async () => {
          const base = await connect(${JSON.stringify(path.join(folder, 'data'))});
          const rows = [[1, 0], [0, 1]].map((vector, id) => ({ id, vector: Float32Array.from(vector) }));
          const table = await base.createTable('vectors', rows);
          const found = await table.search(Float32Array.from([0, 2])).limit(1).toArray();
          console.log(JSON.stringify(found.map(({ id }) => Number(id))));
        })();`;
      assert.equal((await run(process.execPath, ['-e', script], { cwd: folder })).stdout.trim(), '[1]');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
