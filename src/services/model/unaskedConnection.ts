import type { ConnectionState } from '../../protocol/webviewEvents';
import { shownAddress } from '../../types/httpAddress';

/** How things stand as long as nobody has asked the server. */
export function unaskedConnection(baseUrl: string, demo: boolean): ConnectionState {
  return { state: 'unknown', baseUrl: shownAddress(baseUrl), version: null, message: null, demo };
}
