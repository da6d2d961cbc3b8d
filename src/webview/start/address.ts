import { isOnThisMachine } from '../../types/machineAddress';

/** The address as it was asked: `localhost` is both of its addresses. */
export function askedAddress(baseUrl: string): string {
  return /^https?:\/\/localhost(?=[:/]|$)/.test(baseUrl) ? `${baseUrl} (127.0.0.1, ::1)` : baseUrl;
}

/** The port of a server on this machine, `11434` where its base URL names none; null where that is of another machine. */
export function portOnThisMachine(baseUrl: string): string | null {
  return isOnThisMachine(baseUrl) ? new URL(baseUrl).port || '11434' : null;
}
