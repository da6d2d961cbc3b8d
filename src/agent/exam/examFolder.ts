import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { ExamFiles } from './examTask';

/** Temporary folder with the files of a task. It is the only workspace folder of the task. */
export class ExamFolder {
  private constructor(
    private readonly root: string,
    readonly path: string,
    readonly workspace: WorkspacePort,
  ) {}

  /** Creates the folder and its files. `commandShell` is the shell for commands, as named in the prompt. */
  static async create(files: ExamFiles, commandShell: string): Promise<ExamFolder> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-exam-')));
    const folder = path.join(root, 'exam');
    await mkdir(folder);
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const folders = () => [{ name: 'exam', path: folder }];
    return new ExamFolder(root, folder, { folders, isTrusted: () => true, commandShell: () => commandShell });
  }

  /** Reads all files. File names use `/` as the separator. */
  async read(): Promise<ExamFiles> {
    const entries = await readdir(this.path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    return Object.fromEntries(
      files.map((file, at) => [path.relative(this.path, file).replaceAll(path.sep, '/'), texts[at] ?? '']),
    );
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
