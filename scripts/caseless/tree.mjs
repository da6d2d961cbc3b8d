/** Error numbers of Linux. */
export const errors = { ENOENT: 2, EIO: 5, EEXIST: 17, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, ENOSYS: 38, ENOTEMPTY: 39 };

export class FileError extends Error {
  constructor(code) {
    super(code);
    this.errno = errors[code];
  }
}

const kinds = { mask: 0o170000, folder: 0o040000 };
const rootId = 1;

/**
 * A tree of files in memory that compares names as APFS does: it ignores case and Unicode form, and keeps the spelling that was used to
 * create or rename the file.
 */
export class Tree {
  /** Inodes by the number that the kernel uses for them. */
  #nodes = new Map();
  /** Number of times that each inode number was given to the kernel. */
  #given = new Map();
  #lastId = rootId;

  constructor() {
    const root = this.#create(kinds.folder | 0o777, 0, 0, 0);
    root.parent = root;
  }

  node(id) {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new FileError('ENOENT');
    return node;
  }

  /**
   * Returns an inode and its number for the kernel. Each spelling has its own number; otherwise the kernel would ignore case-only renames.
   */
  lookUp(folder, name) {
    const entry = childrenOf(folder).get(fold(name));
    if (entry === undefined) throw new FileError('ENOENT');
    const { node } = entry;
    if (entry.name === name) return { node, id: node.id };
    let alias = node.aliases.get(name);
    if (alias === undefined) {
      alias = this.#lastId += 1;
      node.aliases.set(name, alias);
      this.#nodes.set(alias, node);
    }
    return { node, id: alias };
  }

  add(folder, name, { mode, uid, gid, rdev = 0, content = Buffer.alloc(0) }) {
    if (childrenOf(folder).has(fold(name))) throw new FileError('EEXIST');
    const node = this.#create(mode, uid, gid, rdev);
    node.content = content;
    node.size = content.length;
    if (isFolder(node)) folder.links += 1;
    this.#enter(folder, name, node);
    return { node, id: node.id };
  }

  link(folder, name, node) {
    if (childrenOf(folder).has(fold(name))) throw new FileError('EEXIST');
    node.links += 1;
    node.changed = now();
    this.#enter(folder, name, node);
    return { node, id: node.id };
  }

  remove(folder, name, isForFolder) {
    const { node } = this.lookUp(folder, name);
    if (isFolder(node) !== isForFolder) throw new FileError(isForFolder ? 'ENOTDIR' : 'EISDIR');
    if (isForFolder && node.children.size > 0) throw new FileError('ENOTEMPTY');
    childrenOf(folder).delete(fold(name));
    this.#left(folder, node);
  }

  rename(from, name, to, newName, isExclusive) {
    const { node } = this.lookUp(from, name);
    const present = childrenOf(to).get(fold(newName))?.node;
    if (present !== undefined && present !== node) {
      if (isExclusive) throw new FileError('EEXIST');
      this.remove(to, newName, isFolder(node));
    }
    childrenOf(from).delete(fold(name));
    if (isFolder(node) && from !== to) {
      from.links -= 1;
      to.links += 1;
    }
    touch(from);
    node.changed = now();
    this.#enter(to, newName, node);
  }

  /** Sets the length of a file. */
  resize(node, size) {
    this.#reserve(node, size);
    if (size < node.size) node.content.fill(0, size, node.size);
    node.size = size;
    touch(node);
  }

  write(node, offset, bytes) {
    this.#reserve(node, offset + bytes.length);
    bytes.copy(node.content, offset);
    node.size = Math.max(node.size, offset + bytes.length);
    touch(node);
  }

  #reserve(node, size) {
    if (size <= node.content.length) return;
    const larger = Buffer.alloc(Math.max(size, node.content.length * 2));
    node.content.copy(larger, 0, 0, node.size);
    node.content = larger;
  }

  #create(mode, uid, gid, rdev) {
    const id = this.#nodes.size === 0 ? rootId : (this.#lastId += 1);
    const time = now();
    const times = { born: time, accessed: time, modified: time, changed: time };
    const node = { id, mode, uid, gid, rdev, links: 1, content: Buffer.alloc(0), size: 0, aliases: new Map(), ...times };
    if (isFolder(node)) Object.assign(node, { children: new Map(), links: 2 });
    this.#nodes.set(id, node);
    return node;
  }

  #enter(folder, name, node) {
    childrenOf(folder).set(fold(name), { name, node });
    if (isFolder(node)) node.parent = folder;
    touch(folder);
  }

  #left(folder, node) {
    node.links -= isFolder(node) ? 2 : 1;
    if (isFolder(node)) folder.links -= 1;
    node.changed = now();
    touch(folder);
  }

  /** Counts that a number was given to the kernel. */
  give(id) {
    this.#given.set(id, (this.#given.get(id) ?? 0) + 1);
  }

  /** Forgets a number that the kernel no longer uses, and the inode if it has no name. */
  forget(id, times) {
    const count = (this.#given.get(id) ?? 0) - times;
    if (count > 0) {
      this.#given.set(id, count);
      return;
    }
    this.#given.delete(id);
    const node = this.#nodes.get(id);
    if (node === undefined || id === rootId) return;
    for (const [name, alias] of node.aliases) if (alias === id) node.aliases.delete(name);
    if (node.id !== id || node.links <= 0) this.#nodes.delete(id);
  }
}

export function isFolder({ mode }) {
  return (mode & kinds.mask) === kinds.folder;
}

export function childrenOf(folder) {
  if (!isFolder(folder)) throw new FileError('ENOTDIR');
  return folder.children;
}

/** Returns nanoseconds since 1970. */
export function now() {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
}

function touch(node) {
  node.modified = node.changed = now();
}

function fold(name) {
  return name.normalize('NFD').toLowerCase().normalize('NFC');
}
