import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { answer, requestBytes } from './protocol.mjs';
import { Tree } from './tree.mjs';

/**
 * `node serve.mjs FOLDER`: mounts an in-memory file system on a folder. It compares names as a Mac does. Exits when it is unmounted, or
 * with code 1 if mounting is refused. Needs root and FUSE, but no package.
 */
const [folder] = process.argv.slice(2);
const device = openSync('/dev/fuse', 'r+');
const options = `fd=3,rootmode=40000,user_id=${process.getuid()},group_id=${process.getgid()},default_permissions,allow_other`;
spawn('mount', ['-i', '-t', 'fuse', '-o', options, 'caseless', folder], { stdio: ['ignore', 'ignore', 'inherit', device] });

const tree = new Tree();
const buffer = Buffer.alloc(requestBytes);
const ignored = new Set(['EINTR', 'EAGAIN', 'ENOENT']);
/** Maximum number of attempts to read before the mount is ready. */
let attempts = 1000;
for (;;) {
  let length;
  try {
    length = readSync(device, buffer);
  } catch (error) {
    if (error.code === 'ENODEV') break;
    if (ignored.has(error.code)) continue;
    if (error.code !== 'EPERM' || (attempts -= 1) === 0) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    continue;
  }
  const reply = answer(tree, buffer.subarray(0, length));
  try {
    if (reply !== null) writeSync(device, reply);
  } catch (error) {
    // The kernel has cancelled the request.
    if (error.code !== 'ENOENT') throw error;
  }
}
closeSync(device);
