import type { FileHandle } from 'node:fs/promises';
import type { LineWindow } from './lineWindow';

const pieceBytes = 64 * 1024;

export type TextLines = ReturnType<LineWindow['finish']>;

/** Reads the lines in `window` of a text file (UTF-8, or UTF-16 with a byte order mark); returns null if it is not text. */
export async function readTextLines(file: FileHandle, window: LineWindow, signal?: AbortSignal): Promise<TextLines | null> {
  const piece = Buffer.alloc(pieceBytes);
  let { bytesRead } = await file.read(piece, 0, pieceBytes, 0);
  const encoding = encodingOf(piece.subarray(0, bytesRead));
  if (encoding === null) return null;
  const decoder = new TextDecoder(encoding);
  for (let offset = 0; bytesRead > 0;) {
    signal?.throwIfAborted();
    window.push(decoder.decode(piece.subarray(0, bytesRead), { stream: true }));
    offset += bytesRead;
    ({ bytesRead } = await file.read(piece, 0, pieceBytes, offset));
  }
  window.push(decoder.decode());
  return window.finish();
}

/** Returns null if the file is not text. */
function encodingOf(start: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return start.includes(0) ? null : 'utf-8';
}
