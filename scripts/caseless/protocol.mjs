import { FileError, childrenOf, errors, isFolder, now } from './tree.mjs';

/** Sizes in bytes: the largest write, the largest request, and the header of a request. */
const maxWrite = 128 * 1024;
export const requestBytes = maxWrite + 4096;
const headerBytes = 40;

/** Bits of `setattr`. */
const set = { mode: 1, uid: 2, gid: 4, size: 8, accessed: 16, modified: 32, accessedNow: 128, modifiedNow: 256 };
const flags = { asyncRead: 1, bigWrites: 32 };
const isExclusive = 1;

/** Returns the response to a kernel request (`linux/fuse.h`, version 7.39), or null if the kernel expects none. */
export function answer(tree, request) {
  const operation = operations[request.readUInt32LE(4)];
  const id = Number(request.readBigUInt64LE(16));
  const owner = { uid: request.readUInt32LE(24), gid: request.readUInt32LE(28) };
  const body = request.subarray(headerBytes);
  let error = 0;
  let found = Buffer.alloc(0);
  try {
    if (operation === undefined) throw new FileError('ENOSYS');
    found = operation({ tree, id, body, owner }) ?? found;
  } catch (failure) {
    if (!(failure instanceof FileError)) console.error(failure);
    error = failure instanceof FileError ? failure.errno : errors.EIO;
    found = Buffer.alloc(0);
  }
  if (found === noAnswer) return null;
  const head = Buffer.alloc(16);
  head.writeUInt32LE(16 + found.length, 0);
  head.writeInt32LE(-error, 4);
  request.copy(head, 8, 8, 16);
  return Buffer.concat([head, found]);
}

const noAnswer = Buffer.alloc(0);

/** Operations by their number. */
const operations = {
  1: ({ tree, id, body }) => entryOut(tree, tree.lookUp(tree.node(id), textIn(body))),
  2: ({ tree, id, body }) => {
    tree.forget(id, Number(body.readBigUInt64LE(0)));
    return noAnswer;
  },
  3: ({ tree, id }) => attributesOut(tree.node(id)),
  4: setAttributes,
  5: ({ tree, id }) => contentOf(tree.node(id)),
  6: ({ tree, id, body, owner }) => {
    const [name, target] = textsIn(body);
    return entryOut(tree, tree.add(tree.node(id), name, { mode: 0o120777, ...owner, content: Buffer.from(target) }));
  },
  8: ({ tree, id, body, owner }) => {
    const mode = body.readUInt32LE(0);
    const rdev = body.readUInt32LE(4);
    return entryOut(tree, tree.add(tree.node(id), textIn(body.subarray(16)), { mode, rdev, ...owner }));
  },
  9: ({ tree, id, body, owner }) => {
    const mode = 0o040000 | (body.readUInt32LE(0) & 0o7777);
    return entryOut(tree, tree.add(tree.node(id), textIn(body.subarray(8)), { mode, ...owner }));
  },
  10: ({ tree, id, body }) => tree.remove(tree.node(id), textIn(body), false),
  11: ({ tree, id, body }) => tree.remove(tree.node(id), textIn(body), true),
  12: ({ tree, id, body }) => rename(tree, id, body, 0, 8),
  13: ({ tree, id, body }) =>
    entryOut(tree, tree.link(tree.node(id), textIn(body.subarray(8)), tree.node(Number(body.readBigUInt64LE(0))))),
  14: () => openOut(),
  15: ({ tree, id, body }) => {
    const offset = Number(body.readBigUInt64LE(8));
    return contentOf(tree.node(id)).subarray(offset, offset + body.readUInt32LE(16));
  },
  16: ({ tree, id, body }) => {
    const size = body.readUInt32LE(16);
    tree.write(tree.node(id), Number(body.readBigUInt64LE(8)), body.subarray(40, 40 + size));
    return packed(8, (out) => out.writeUInt32LE(size, 0));
  },
  17: () => statisticsOut(),
  18: () => undefined,
  20: () => undefined,
  25: () => undefined,
  26: ({ body }) => initOut(body.readUInt32LE(8)),
  27: () => openOut(),
  28: readFolder,
  29: () => undefined,
  30: () => undefined,
  35: ({ tree, id, body, owner }) => {
    const mode = 0o100000 | (body.readUInt32LE(4) & 0o7777);
    const entry = tree.add(tree.node(id), textIn(body.subarray(16)), { mode, ...owner });
    return Buffer.concat([entryOut(tree, entry), openOut()]);
  },
  36: () => noAnswer,
  38: () => undefined,
  42: ({ tree, body }) => {
    const count = body.readUInt32LE(0);
    for (let index = 0; index < count; index += 1) {
      const at = 8 + index * 16;
      tree.forget(Number(body.readBigUInt64LE(at)), Number(body.readBigUInt64LE(at + 8)));
    }
    return noAnswer;
  },
  45: ({ tree, id, body }) => {
    if ((body.readUInt32LE(8) & ~isExclusive) !== 0) throw new FileError('EINVAL');
    return rename(tree, id, body, body.readUInt32LE(8), 16);
  },
  52: ({ tree, id }) => statxOut(tree.node(id)),
};

function rename(tree, id, body, how, from) {
  const [name, newName] = textsIn(body.subarray(from));
  tree.rename(tree.node(id), name, tree.node(Number(body.readBigUInt64LE(0))), newName, how === isExclusive);
}

function setAttributes({ tree, id, body }) {
  const node = tree.node(id);
  const valid = body.readUInt32LE(0);
  const timeAt = (seconds, nanoseconds) => body.readBigInt64LE(seconds) * 1_000_000_000n + BigInt(body.readUInt32LE(nanoseconds));
  if (valid & set.size) tree.resize(node, Number(body.readBigUInt64LE(16)));
  if (valid & set.mode) node.mode = (node.mode & 0o170000) | (body.readUInt32LE(68) & 0o7777);
  if (valid & set.uid) node.uid = body.readUInt32LE(76);
  if (valid & set.gid) node.gid = body.readUInt32LE(80);
  if (valid & set.accessed) node.accessed = valid & set.accessedNow ? now() : timeAt(32, 56);
  if (valid & set.modified) node.modified = valid & set.modifiedNow ? now() : timeAt(40, 60);
  node.changed = now();
  return attributesOut(node);
}

function readFolder({ tree, id, body }) {
  const folder = tree.node(id);
  const first = Number(body.readBigUInt64LE(8));
  const limit = body.readUInt32LE(16);
  const entries = [{ name: '.', node: folder }, { name: '..', node: folder.parent ?? folder }, ...childrenOf(folder).values()];
  const parts = [];
  let used = 0;
  for (const [index, { name, node }] of entries.entries()) {
    if (index < first) continue;
    const bytes = Buffer.from(name);
    const length = Math.ceil((24 + bytes.length) / 8) * 8;
    if ((used += length) > limit) break;
    parts.push(
      packed(length, (out) => {
        out.writeBigUInt64LE(BigInt(node.id), 0);
        out.writeBigUInt64LE(BigInt(index + 1), 8);
        out.writeUInt32LE(bytes.length, 16);
        out.writeUInt32LE(node.mode >> 12, 20);
        bytes.copy(out, 24);
      }),
    );
  }
  return Buffer.concat(parts);
}

function initOut(readAhead) {
  return packed(64, (out) => {
    out.writeUInt32LE(7, 0);
    out.writeUInt32LE(39, 4);
    out.writeUInt32LE(readAhead, 8);
    out.writeUInt32LE(flags.asyncRead | flags.bigWrites, 12);
    out.writeUInt16LE(12, 16);
    out.writeUInt16LE(9, 18);
    out.writeUInt32LE(maxWrite, 20);
    out.writeUInt32LE(1, 24);
  });
}

/** Returns an entry that is valid once, so that the kernel looks it up again for each use. */
function entryOut(tree, { node, id }) {
  tree.give(id);
  return packed(128, (out) => {
    out.writeBigUInt64LE(BigInt(id), 0);
    writeAttributes(out, 40, node);
  });
}

function attributesOut(node) {
  return packed(104, (out) => writeAttributes(out, 16, node));
}

function writeAttributes(out, at, node) {
  out.writeBigUInt64LE(BigInt(node.id), at);
  out.writeBigUInt64LE(BigInt(node.size), at + 8);
  out.writeBigUInt64LE(BigInt(Math.ceil(node.size / 512)), at + 16);
  for (const [index, time] of [node.accessed, node.modified, node.changed].entries()) {
    out.writeBigUInt64LE(time / 1_000_000_000n, at + 24 + index * 8);
    out.writeUInt32LE(Number(time % 1_000_000_000n), at + 48 + index * 4);
  }
  for (const [index, value] of [node.mode, node.links, node.uid, node.gid, node.rdev, 4096].entries())
    out.writeUInt32LE(value, at + 60 + index * 4);
}

function statxOut(node) {
  const start = 32;
  const basicAndBirth = 0xfff;
  return packed(288, (out) => {
    out.writeUInt32LE(basicAndBirth, start);
    out.writeUInt32LE(4096, start + 4);
    for (const [index, value] of [node.links, node.uid, node.gid].entries()) out.writeUInt32LE(value, start + 16 + index * 4);
    out.writeUInt16LE(node.mode, start + 28);
    out.writeBigUInt64LE(BigInt(node.id), start + 32);
    out.writeBigUInt64LE(BigInt(node.size), start + 40);
    out.writeBigUInt64LE(BigInt(Math.ceil(node.size / 512)), start + 48);
    for (const [index, time] of [node.accessed, node.born, node.changed, node.modified].entries()) {
      out.writeBigUInt64LE(time / 1_000_000_000n, start + 64 + index * 16);
      out.writeUInt32LE(Number(time % 1_000_000_000n), start + 72 + index * 16);
    }
  });
}

function statisticsOut() {
  return packed(80, (out) => {
    for (let at = 0; at < 40; at += 8) out.writeBigUInt64LE(1_000_000n, at);
    out.writeUInt32LE(4096, 40);
    out.writeUInt32LE(255, 44);
    out.writeUInt32LE(4096, 48);
  });
}

function openOut() {
  return Buffer.alloc(16);
}

function contentOf(node) {
  if (isFolder(node)) throw new FileError('EISDIR');
  return node.content.subarray(0, node.size);
}

function packed(length, fill) {
  const out = Buffer.alloc(length);
  fill(out);
  return out;
}

function textIn(bytes) {
  return bytes.toString('utf8', 0, bytes.indexOf(0));
}

function textsIn(bytes) {
  const end = bytes.indexOf(0);
  return [textIn(bytes), textIn(bytes.subarray(end + 1))];
}
