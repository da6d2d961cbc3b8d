import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../../src/utils/files/fileSystem';
import type { Seeded } from './seeded';

/** Thrown when the simulated power fails. */
export class PowerCut extends Error {}

/** State that a name refers to: the durable state, and changes that the system may not have written yet. */
interface Node {
  kind: 'file' | 'link' | 'folder';
  mode: number;
  content: Buffer;
  waiting: ((node: Node) => void)[];
}

type Names = Map<string, Node>;

/** Number of bytes that a disk writes atomically. */
const pageLength = 4_096;

/**
 * Records all writes to the real file system, to simulate the state of the folders after a power loss. Each name, page and mode that was
 * not synced is present or missing independently. Syncing a folder covers its names. Syncing a file covers its content and mode.
 */
export class PowerLoss {
  readonly fileSystem: FileSystem;
  /** Number of operations that change something. */
  count = 0;
  private cutAt = Number.POSITIVE_INFINITY;
  private current: Names = new Map();
  private durable: Names = new Map();
  private waiting: { folder: string; apply: (names: Names) => void }[] = [];
  private readonly open = new Map<number, Node>();

  constructor(private readonly folders: readonly string[]) {
    this.fileSystem = { ...nodeFileSystem, ...this.recorded() };
    this.settle();
  }

  /** Treats the current state as durable. The power fails at operation `cutAt`. */
  settle(cutAt = Number.POSITIVE_INFINITY): void {
    this.count = 0;
    this.cutAt = cutAt;
    this.waiting = [];
    this.current = new Map(this.folders.flatMap((folder) => [...nodesIn(folder)]));
    this.durable = new Map(this.current);
  }

  /** Puts the folders into their state after the power loss. */
  lose(random: Seeded): void {
    for (const { apply } of shuffled(this.waiting, random)) if (random.chance(50)) apply(this.durable);
    for (const folder of this.folders) {
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
    }
    const entries = [...this.durable].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [file, node] of entries) {
      // The folder of this name did not reach the disk.
      if (lstatSync(path.dirname(file), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      for (const apply of shuffled(node.waiting.splice(0), random)) if (random.chance(50)) apply(node);
      if (node.kind === 'folder') mkdirSync(file, { recursive: true });
      else if (node.kind === 'link') symlinkSync(node.content, file);
      else {
        writeFileSync(file, node.content);
        chmodSync(file, node.mode);
      }
    }
  }

  private recorded(): Partial<FileSystem> {
    const system = nodeFileSystem;
    return {
      open: (file, flags, mode = 0o666) => {
        if (flags === 'wx') this.changing();
        const opened = system.open(file, flags, mode);
        const node = this.current.get(file) ?? { kind: 'file', mode, content: Buffer.alloc(0), waiting: [] };
        if (flags === 'wx') this.rename(path.dirname(file), (names) => names.set(file, node));
        this.open.set(opened, node);
        return opened;
      },
      write: (file, from, offset, length, position) => {
        this.changing();
        const written = system.write(file, from, offset, length, position);
        const bytes = Buffer.from(from.subarray(offset, offset + written));
        for (let begin = 0; begin < written;) {
          const at = position + begin;
          const end = Math.min(written, begin + pageLength - ((position + begin) % pageLength));
          const page = bytes.subarray(begin, end);
          this.change(file, (node) => {
            const content = Buffer.alloc(Math.max(node.content.length, at + page.length));
            content.set(node.content);
            content.set(page, at);
            node.content = content;
          });
          begin = end;
        }
        return written;
      },
      truncate: (file, length) => {
        this.changing();
        system.truncate(file, length);
        this.change(file, (node) => {
          const content = Buffer.alloc(length);
          content.set(node.content.subarray(0, length));
          node.content = content;
        });
      },
      setMode: (file, mode) => {
        this.changing();
        system.setMode(file, mode);
        this.change(file, (node) => (node.mode = mode));
      },
      sync: (file) => {
        this.changing();
        system.sync(file);
        const node = this.open.get(file);
        for (const apply of node?.waiting.splice(0) ?? []) apply(node as Node);
      },
      syncFolder: (folder) => {
        this.changing();
        system.syncFolder(folder);
        const covered = this.waiting.filter((one) => one.folder === folder);
        this.waiting = this.waiting.filter((one) => one.folder !== folder);
        for (const { apply } of covered) apply(this.durable);
      },
      makeLink: (target, file) => {
        this.changing();
        system.makeLink(target, file);
        const node: Node = { kind: 'link', mode: 0, content: Buffer.from(target), waiting: [] };
        this.rename(path.dirname(file), (names) => names.set(file, node));
      },
      makeFolder: (folder) => {
        this.changing();
        system.makeFolder(folder);
        const node: Node = { kind: 'folder', mode: 0, content: Buffer.alloc(0), waiting: [] };
        this.rename(path.dirname(folder), (names) => names.set(folder, node));
      },
      removeFolder: (folder) => {
        this.changing();
        system.removeFolder(folder);
        this.rename(path.dirname(folder), (names) => names.delete(folder));
      },
      remove: (file) => {
        this.changing();
        system.remove(file);
        this.rename(path.dirname(file), (names) => names.delete(file));
      },
      rename: (from, to) => {
        this.changing();
        system.rename(from, to);
        const node = this.current.get(from) as Node;
        this.rename(path.dirname(to), (names) => {
          names.delete(from);
          names.set(to, node);
        });
      },
    };
  }

  private changing(): void {
    this.count += 1;
    if (this.count >= this.cutAt) throw new PowerCut();
  }

  private change(file: number, apply: (node: Node) => void): void {
    this.open.get(file)?.waiting.push(apply);
  }

  private rename(folder: string, apply: (names: Names) => void): void {
    apply(this.current);
    this.waiting.push({ folder, apply });
  }
}

function shuffled<T>(from: readonly T[], random: Seeded): T[] {
  const left = [...from];
  return from.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

function nodesIn(folder: string): [string, Node][] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .map((name): [string, Node] => {
      const file = path.join(folder, name);
      const stats = lstatSync(file);
      const kind = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : 'file';
      const content = kind === 'link' ? Buffer.from(readlinkSync(file)) : kind === 'file' ? readFileSync(file) : Buffer.alloc(0);
      return [file, { kind, mode: stats.mode & 0o777, content, waiting: [] }];
    });
}
