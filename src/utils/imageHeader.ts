/** Image properties from the file header. Width and height are in pixels. */
export interface ImageHeader {
  type: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** JPEG frame markers (ITU-T T.81, table B.1): SOF0 to SOF15 except DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Reads the format and size of a PNG or JPEG image. Returns null for other content. */
export function imageHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = pngSignature.every((byte, at) => bytes[at] === byte) ? pngSize(view) : jpegSize(view);
  return found !== null && found.width > 0 && found.height > 0 ? found : null;
}

/** Reads the size from the first chunk (PNG specification, 11.2.1). */
function pngSize(view: DataView): ImageHeader | null {
  if (view.byteLength < 24 || view.getUint32(12) !== 0x49484452) return null;
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** Scans the segments for the frame header. */
function jpegSize(view: DataView): ImageHeader | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { type: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
}
