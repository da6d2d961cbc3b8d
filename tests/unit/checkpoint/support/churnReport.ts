import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** Reports from a process that may be killed at any moment. They name operations that it has finished or is about to start. */
export type Report =
  | { kind: 'ready' | 'collecting' | 'migrating' | 'taking' }
  /** `disk`: digest of the current workspace. */
  | { kind: 'restoring'; target: string; disk: string }
  | { kind: 'removing'; id: string }
  | { kind: 'taken'; id: string; digest: string }
  | { kind: 'appended'; folder: string; id: string; content: string };

/** Reports that a test round waits for before it kills the process. */
export const deeds = ['taking', 'restoring', 'removing', 'collecting', 'appended', 'migrating'] as const;
export type Deed = (typeof deeds)[number];

/** Path, kind (1: file, 2: link), permission bits and SHA-256. */
export type FileRow = [path: string, kind: number, mode: number, hash: string | null];

/** Returns a digest of paths, kinds, modes and contents. */
export function digestOf(files: readonly FileRow[]): string {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** Returns the digest of all files and links on disk. */
export function diskDigest(root: string): string {
  const files: FileRow[] = [];
  for (const name of filesIn(root)) {
    const file = path.join(root, name);
    const stats = lstatSync(file);
    const isLink = stats.isSymbolicLink();
    const content = isLink ? Buffer.from(readlinkSync(file)) : readFileSync(file);
    const hash = createHash('sha256').update(content).digest('hex');
    files.push([name, isLink ? 2 : 1, isLink ? 0 : stats.mode & 0o777, hash]);
  }
  return digestOf(files);
}

/** Returns the files and links below a folder that checkpoints contain. Omits pipes and Git files. Does not follow links. */
export function filesIn(folder: string, prefix = ''): string[] {
  return readdirSync(path.join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return entry.name === '.git' ? [] : filesIn(folder, `${name}/`);
    return entry.isFIFO() ? [] : [name];
  });
}
