import { holdsKey } from '../../utils/sensitivity/keyShapes';
import { decodeText } from '../../utils/text/textFile';
import { openSeen, type SeenFile } from '../../services/files/openSeen';

/** Larger files are looked into only as far as they are told. */
const maxBytes = 256 * 1024;

/** Resolves with whether a small text file holds what looks like a key. What cannot be read holds nothing. */
export async function hasKeyInText(real: string, seen: SeenFile | null): Promise<boolean> {
  if (seen?.kind !== 'file') return false;
  try {
    const file = await openSeen(real, real, seen);
    try {
      const { size } = await file.stat();
      if (size > maxBytes) return false;
      // A file that grows meanwhile is looked into no further.
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      const bytes = buffer.subarray(0, bytesRead);
      return holdsKey(decodeText(bytes)?.text ?? (bytes.includes(0) ? '' : bytes.toString('latin1')));
    } finally {
      await file.close();
    }
  } catch {
    // Whoever reads it is told why.
    return false;
  }
}
