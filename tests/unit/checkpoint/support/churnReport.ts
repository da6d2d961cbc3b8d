import { createHash } from 'node:crypto';
import type { FileState } from '../../../../src/services/checkpoint/scan/scannedFile';

/** What a process that may be killed at any moment has done, or is about to do where it says so. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'taken'; id: string; digest: string }
  | { kind: 'removing'; id: string }
  | { kind: 'appended'; folder: string; id: string; content: string };

/** Of paths, modes and contents. */
export function digestOf(files: readonly { path: string; state: FileState }[]): string {
  return createHash('sha256')
    .update(JSON.stringify(files.map(({ path, state }) => [path, state.kind, state.mode, state.hash])))
    .digest('hex');
}
