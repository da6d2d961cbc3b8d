import type { AttachmentRef } from '../../protocol/entries';
import { maxImageBytes } from '../../protocol/context/imageRef';
import { openSeen, type SeenFile } from '../../services/files/openSeen';
import type { ImageStore } from '../kernel/ports';

const imageName = /\.(?:png|jpe?g|gif|webp|bmp|avif|tiff?|heic|ico)$/i;

/** Tells by its name whether a file is an image. A picture that is written as text, as SVG is, is text. */
export function isImageFile({ kind, path, startLine }: AttachmentRef): boolean {
  return kind === 'file' && startLine === undefined && imageName.test(path);
}

/** Keeps the image in a file and returns what stands for it. Rejects with an `AppError` that says why it cannot be attached. */
export async function imageOf(
  { real, shown, seen }: { real: string; shown: string; seen: SeenFile | null },
  images: ImageStore,
): Promise<AttachmentRef> {
  const file = await openSeen(real, shown, seen);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxImageBytes + 1), 0, maxImageBytes + 1, 0);
    return { kind: 'image', path: shown, image: await images.keep(buffer.subarray(0, bytesRead)) };
  } finally {
    await file.close();
  }
}
