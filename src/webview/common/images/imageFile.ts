import { imageTypes, maxImageBytes } from '../../../protocol/context/imageRef';

/** Maximum length of the longer side in pixels. Models scale larger images down. */
const maxSide = 2048;

/**
 * Returns the images among dropped or pasted files. Returns all files if none is an
 * image, so that each is rejected with a reason.
 */
export function imagesAmong(files: Iterable<File>): File[] {
  const all = [...files];
  const images = all.filter(isImage);
  return images.length > 0 ? images : all;
}

export function isImage({ type }: File): boolean {
  return type.startsWith('image/');
}

/**
 * Returns a scaled-down image in base64, in a format that all vision models support.
 * Rejects if the browser cannot read the file.
 */
export async function imageData(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  const isFit = scale === 1 && file.size <= maxImageBytes && imageTypes.some((type) => type === file.type);
  const blob = isFit ? file : await drawn(bitmap, scale);
  bitmap.close();
  return toBase64(blob);
}

async function drawn(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const png = await toBlob(canvas, 'image/png');
  return png.size <= maxImageBytes ? png : toBlob(canvas, 'image/jpeg');
}

function toBlob(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The image could not be drawn')) : resolve(blob)), type, 0.9);
  });
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
