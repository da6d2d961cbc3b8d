import { deflateSync, crc32 } from 'node:zlib';

/** Returns a PNG in a single color. */
export function png(width: number, height: number, grey = 0): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(8, 8);
  const line = Buffer.alloc(width + 1, grey);
  line[0] = 0;
  const rows = Buffer.concat(Array.from({ length: height }, () => line));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** Returns the beginning of a JPEG, with all markers up to the image size. */
export function jpegStart(width: number, height: number): Buffer {
  const app = Buffer.from([0xff, 0xe0, 0x00, 0x04, 0x00, 0x00]);
  const frame = Buffer.from([0xff, 0xc2, 0x00, 0x0b, 0x08, height >> 8, height & 255, width >> 8, width & 255, 0x01, 0, 0, 0]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app, Buffer.from([0xff]), frame]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  const check = Buffer.alloc(4);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
