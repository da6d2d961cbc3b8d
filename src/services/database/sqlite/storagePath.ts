import path from 'node:path';
import { sha256Hex } from '../../../utils/sha256';

/** Returns the storage root. See docs/storage-format.md. Ignores a `setting` that is not an absolute path. */
export function storageDirectory(places: { setting: string; globalStorage: string; firstFolderUri: string | null }): string {
  const setting = places.setting.trim();
  if (path.isAbsolute(setting)) return setting;
  if (places.firstFolderUri === null) return places.globalStorage;
  return path.join(places.globalStorage, sha256Hex(places.firstFolderUri));
}
