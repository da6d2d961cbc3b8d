import { execFileSync } from 'node:child_process';
import { linkSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A pipe and a socket, which come to places as further names of these two: no program is started for each. Windows has neither. */
export class SpecialFiles {
  private folder: string | undefined;
  private server: Server | undefined;

  put(kind: 'pipe' | 'socket', file: string): void {
    this.folder ??= this.made();
    linkSync(path.join(this.folder, kind), file);
  }

  clean(): void {
    this.server?.close();
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  private made(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-'));
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    this.server = createServer().listen(path.join(folder, 'socket'));
    this.server.unref();
    return folder;
  }
}

/** Tells whether neither a file nor a link nor a folder is at a path, but something. */
export function isSpecial(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}
