import type { LanceClient } from './lanceClient';
import type { LanceStore } from './lanceStore';
import type { SharedIndex } from './sharedIndex';

/** Holds all that other code may import of LanceDB. What it opens is loaded when it is first asked for. */

export { LanceError } from './lanceError';
export type { LanceStore, LanceTables } from './lanceStore';
export type { MirroredVectors } from './mirroredVectors';
export type { SharedIndex } from './sharedIndex';

/** Opens the tables in a folder. Nothing is there, and no process runs, before they are used. */
export async function openLance(folder: string): Promise<LanceStore> {
  const { LanceStore } = await import(/* webpackMode: "eager" */ './lanceStore');
  return new LanceStore(folder);
}

/** Opens an index that a team shares; it is only read. */
export async function openShared(): Promise<SharedIndex> {
  const { openSharedIndex } = await import(/* webpackMode: "eager" */ './lanceStore');
  return openSharedIndex();
}

/** Opens a process that reads tables of earlier versions. `file` is the compiled `lanceProcess`. */
export async function openReader(file: string): Promise<Pick<LanceClient, 'call' | 'close'>> {
  const { LanceClient } = await import(/* webpackMode: "eager" */ './lanceClient');
  return new LanceClient(file);
}
