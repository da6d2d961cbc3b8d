import { execFileSync } from 'node:child_process';
import { linkSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates pipes and sockets as hard links to one pipe and one socket, so that not every file needs a process. Not supported on Windows. */
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

/** Returns true if something other than a file, link or folder is at a path. */
export function isSpecial(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory();
}
