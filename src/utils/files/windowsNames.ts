/** Meaning that Windows gives a name: a stream inside a file, a device, the name without its end, or none at all. */
export type WindowsFault = 'stream' | 'device' | 'end' | 'character';

const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * Tells what is wrong with a single name on Windows; null for a name that means its file.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function windowsFault(name: string): WindowsFault | null {
  if (name === '.' || name === '..') return null;
  if (name.includes(':')) return 'stream';
  if (device.test(name)) return 'device';
  if (/[. ]$/.test(name)) return 'end';
  return /[<>"|?*\u0000-\u001f]/.test(name) ? 'character' : null;
}
