import type { SnapshotObjects } from '../../../types/checkpoint';
import type { EngineClient } from './engineClient';

/** Object store for the host thread. It calls the worker. */
export class WorkerSnapshotObjects implements SnapshotObjects {
  constructor(private readonly engine: EngineClient) {}

  put(contents: readonly Uint8Array[]): Promise<string[]> {
    return this.engine.objects.put([...contents]);
  }

  get(hash: string): Promise<Uint8Array> {
    return this.engine.objects.get(hash);
  }
}
