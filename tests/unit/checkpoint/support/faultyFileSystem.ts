import { nodeFileSystem, type FileSystem } from '../../../../src/utils/files/fileSystem';

type Name = keyof FileSystem;

/** What an operation does in place of its work: throw what the system would, or write only a part. */
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

/** The real file system, whose operations are counted and of which one, by its number, goes wrong. */
export class FaultyFileSystem {
  /** Operations done since `arm`. */
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

  /** From now on the operation number `at` (from 1) fails; nothing does when `at` is 0. */
  arm(at: number, fault: Fault, only: readonly Name[] = writing): void {
    this.count = 0;
    this.failing = { at, fault, only };
  }

  private run(name: Name, work: (...args: unknown[]) => unknown, given: unknown[]): unknown {
    const { failing } = this;
    if (failing === null || !failing.only.includes(name)) return work(...given);
    // Among what writes, only what is opened to be written.
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
