import type { ConnectionState } from '../../protocol/webviewEvents';
import { shownAddress } from '../../types/httpAddress';

/** Returns the state of the connection before anybody has asked the server. */
export function unaskedConnection(baseUrl: string, demo: boolean): ConnectionState {
  return { state: 'unknown', baseUrl: shownAddress(baseUrl), version: null, message: null, demo };
}
