import type { FileHandle } from 'node:fs/promises';
import { detectFormat, TextStream } from '../../../utils/text/textFile';
import type { LineWindow } from './lineWindow';

const pieceBytes = 64 * 1024;

/** Lines of a file. `isExact` is false if U+FFFD replaces invalid bytes in the text. */
export type TextLines = ReturnType<LineWindow['finish']> & { isExact: boolean };

/** Reads the lines in `window` of a text file (UTF-8, or UTF-16 with a byte order mark). Returns null if it is not text. */
export async function readTextLines(file: FileHandle, window: LineWindow, signal?: AbortSignal): Promise<TextLines | null> {
  const piece = Buffer.alloc(pieceBytes);
  let { bytesRead } = await file.read(piece, 0, pieceBytes, 0);
  const format = detectFormat(piece.subarray(0, bytesRead));
  if (format === null) return null;
  const stream = new TextStream(format);
  for (let offset = 0; bytesRead > 0;) {
    signal?.throwIfAborted();
    window.push(stream.push(piece.subarray(0, bytesRead)));
    offset += bytesRead;
    ({ bytesRead } = await file.read(piece, 0, pieceBytes, offset));
  }
  window.push(stream.end());
  return { ...window.finish(), isExact: stream.isExact };
}

/** Returns the lines in `window` of a text from an editor. */
export function linesOfText(text: string, window: LineWindow): TextLines {
  window.push(text);
  return { ...window.finish(), isExact: true };
}
