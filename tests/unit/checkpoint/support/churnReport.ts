import { createHash } from 'node:crypto';
import type { FileState } from '../../../../src/services/checkpoint/scan/scannedFile';

export type Report = { kind: 'ready' } | { kind: 'taken'; id: string; digest: string } | { kind: 'removing'; id: string };

/** Of paths, modes and contents. */
export function digestOf(files: readonly { path: string; state: FileState }[]): string {
  return createHash('sha256')
    .update(JSON.stringify(files.map(({ path, state }) => [path, state.kind, state.mode, state.hash])))
    .digest('hex');
}
