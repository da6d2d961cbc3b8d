import { createHash } from 'node:crypto';

/** Returns the SHA-256 of bytes, or of a text in UTF-8, as 64 lower-case hex digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
