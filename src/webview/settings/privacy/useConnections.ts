import { shallowRef } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { Host } from '../../common/useHost';

export function useConnections(host: Host) {
  const list = shallowRef<HostResult<'readConnections'> | null>(null);

  async function read(): Promise<void> {
    try {
      list.value = await host.api.readConnections({});
    } catch (error) {
      host.report(error);
    }
  }

  const exportAs = (format: 'json' | 'csv', ids: string[]) => host.attempt(host.api.exportConnections({ format, ids }));

  return { list, read, exportAs };
}
