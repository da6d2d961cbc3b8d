import { nodeFileSystem, type FileSystem } from '../../../../src/utils/files/fileSystem';

type Name = keyof FileSystem;

/** Injected fault: a system error or a partial write. */
export type Fault = 'ENOSPC' | 'EIO' | 'short';

export const reading: readonly Name[] = ['open', 'read', 'stat', 'lstat', 'realPath', 'list', 'listRaw', 'readLink'];
const writing: readonly Name[] = [
  'open',
  'write',
  'truncate',
  'sync',
  'syncFolder',
  'makeLink',
  'makeFolder',
  'removeFolder',
  'rename',
  'remove',
  'setMode',
];

/** Real file system that counts operations and lets one of them fail. */
export class FaultyFileSystem {
  /** Number of operations since `arm`. */
  count = 0;
  readonly fileSystem: FileSystem;
  private failing: { at: number; fault: Fault; only: readonly Name[] } | null = null;

  constructor() {
    const wrapped = Object.entries(nodeFileSystem).map(([name, work]) => [
      name,
      (...given: unknown[]) => this.run(name as Name, work as (...args: unknown[]) => unknown, given),
    ]);
    this.fileSystem = Object.fromEntries(wrapped) as FileSystem;
  }

  /** Makes operation number `at` fail, counted from 1. With 0, no operation fails. */
  arm(at: number, fault: Fault, only: readonly Name[] = writing): void {
    this.count = 0;
    this.failing = { at, fault, only };
  }

  private run(name: Name, work: (...args: unknown[]) => unknown, given: unknown[]): unknown {
    const { failing } = this;
    if (failing === null || !failing.only.includes(name)) return work(...given);
    // `open` counts only if it opens the file for writing.
    if (failing.only === writing && name === 'open' && given[1] === 'r') return work(...given);
    this.count += 1;
    if (this.count !== failing.at) return work(...given);
    if (failing.fault === 'short') {
      if (name === 'write') given[3] = Math.ceil((given[3] as number) / 2);
      return work(...given);
    }
    throw Object.assign(new Error(`${failing.fault}: injected, ${name}`), { code: failing.fault, syscall: name });
  }
}
