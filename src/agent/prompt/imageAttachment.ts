import type { AttachmentRef } from '../../protocol/entries';
import { maxImageBytes } from '../../protocol/context/imageRef';
import { openVerified, type FileIdentity } from '../../services/files/verifiedOpen';
import type { ImageStore } from '../kernel/ports';

export const imageExtensions = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'avif', 'tif', 'tiff', 'heic', 'ico'];
const imageName = new RegExp(`\\.(?:${imageExtensions.join('|')})$`, 'i');

/** Returns whether the file name has an image extension. SVG files count as text. */
export function isImageFile({ kind, path, startLine }: AttachmentRef): boolean {
  return kind === 'file' && startLine === undefined && imageName.test(path);
}

/** Stores an attached image and returns its reference. Rejects with an `AppError` if the image cannot be attached. */
export async function storeImage(
  { real, shown, seen }: { real: string; shown: string; seen: FileIdentity | null },
  images: ImageStore,
): Promise<AttachmentRef> {
  const file = await openVerified(real, shown, seen);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxImageBytes + 1), 0, maxImageBytes + 1, 0);
    return { kind: 'image', path: shown, image: await images.keep(buffer.subarray(0, bytesRead)) };
  } finally {
    await file.close();
  }
}
