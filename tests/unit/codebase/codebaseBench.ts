import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Embedder, type EmbedClient } from '../../../src/services/codebase/embedding/embedder';
import { Codebase } from '../../../src/services/codebase/codebase';
import type { WorkspaceFind } from '../../../src/services/codebase/codebaseTypes';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { ServerArbiter } from '../../../src/services/model/serverArbiter';
import { silentLogger } from '../../../src/utils/logger';
import type { SensitivityPatterns } from '../../../src/utils/sensitivity/fileSensitivity';
import { patientClock } from '../../support/patientClock';

/** Real workspace whose index runs in a real worker. */
export class CodebaseBench {
  readonly config = {
    isEnabled: true,
    maxBytes: 1_000_000_000,
    sensitive: {} as SensitivityPatterns,
    isLance: false,
    sharedUri: '',
  };
  /** Compiled worker of this build or of a copy. */
  workerPath = path.join(__dirname, '../../../src/services/codebase/codebaseWorker.js');
  model = '';
  readonly arbiter = new ServerArbiter();
  embed: EmbedClient['embed'] = async () => {
    throw new Error('There is no model');
  };
  /** Folder of the indexes. */
  directory: string;
  codebase: Codebase;

  private constructor(
    readonly root: string,
    readonly folders: { name: string; path: string }[],
  ) {
    this.directory = path.join(root, 'storage');
    this.codebase = this.open();
  }

  static async start(files: Record<string, string> = {}, names: readonly string[] = ['project']): Promise<CodebaseBench> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-codebase-')));
    const folders = names.map((name) => ({ name, path: path.join(root, name) }));
    for (const folder of folders) await mkdir(folder.path);
    const bench = new CodebaseBench(root, folders);
    for (const [name, text] of Object.entries(files)) await bench.write(name, text);
    return bench;
  }

  /** Opens the index as another window would. */
  open(): Codebase {
    const paths = new WorkspacePaths({ folders: () => this.folders });
    const info = {
      name: 'embed:latest',
      digest: 'd',
      size: 1,
      family: null,
      parameterSize: null,
      quantization: null,
      contextLength: 512,
    };
    const capabilities = { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false };
    const models = {
      list: async () => ({ models: [{ ...info, capabilities, stop: [], enabled: true }], stale: false, fetchedAt: 1 }),
    };
    return new Codebase({
      embedder: new Embedder({ embed: (...args) => this.embed(...args) }, models, () => this.model),
      arbiter: this.arbiter,
      workerPath: this.workerPath,
      directory: this.directory,
      lanceFolder: path.join(this.root, 'lance'),
      roots: () => paths.roots(),
      config: () => this.config,
      clock: patientClock,
      logger: silentLogger,
    });
  }

  async reopen(): Promise<void> {
    await this.codebase.dispose();
    this.codebase = this.open();
  }

  file(name: string): string {
    return path.join(this.folders[0]?.path ?? '', name);
  }

  async write(name: string, text: string): Promise<string> {
    await mkdir(path.dirname(this.file(name)), { recursive: true });
    await writeFile(this.file(name), text);
    return this.file(name);
  }

  async find(query: string, codebase = this.codebase): Promise<WorkspaceFind[]> {
    return (await codebase.find(query, 10, new AbortController().signal)).finds;
  }

  /** Returns distinct result paths, best first. */
  async paths(query: string, codebase = this.codebase): Promise<string[]> {
    return [...new Set((await this.find(query, codebase)).map((found) => found.path))];
  }

  async stop(): Promise<void> {
    await this.codebase.dispose();
    await rm(this.root, { recursive: true, force: true });
  }
}
