import { withoutKeys } from '../../utils/sensitivity/keyShapes';
import type { EndRecord } from '../network/connectionLedger';
import { network } from '../network/network';

/** Adds a command to the list of connections. Its traffic can be observed only in the proxy of the sandbox. */
export function recordCommand(sessionId: string, command: string, isSandboxed: boolean): EndRecord {
  return network.began({ purpose: 'command', detail: withoutKeys(command), sessionId }, { isSandboxed });
}
