import type { LanceClient } from './lanceClient';
import type { LanceStore } from './lanceStore';
import type { SharedIndex } from './sharedIndex';

/** The only module for LanceDB that other code imports. The implementations load on first use. */

export { LanceError } from './lanceError';
export type { LanceStore, LanceTables } from './lanceStore';
export type { MirroredVectors } from './mirroredVectors';
export type { SharedIndex } from './sharedIndex';

/** Opens the tables in a folder. Creates no file and no process until the first use. */
export async function openLance(folder: string): Promise<LanceStore> {
  const { LanceStore } = await import(/* webpackMode: "eager" */ './lanceStore');
  return new LanceStore(folder);
}

/** Opens the shared index of a team, read-only. */
export async function openShared(): Promise<SharedIndex> {
  const { openSharedIndex } = await import(/* webpackMode: "eager" */ './lanceStore');
  return openSharedIndex();
}

/** Starts a process that reads tables of earlier versions. `file` is the compiled `lanceProcess`. */
export async function openReader(file: string): Promise<Pick<LanceClient, 'call' | 'close'>> {
  const { LanceClient } = await import(/* webpackMode: "eager" */ './lanceClient');
  return new LanceClient(file);
}
