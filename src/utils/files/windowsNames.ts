/** Problem with a name on Windows: an alternate stream, a device name, a dot or space at the end, or an invalid character. */
export type WindowsNameProblem = 'stream' | 'device' | 'end' | 'character';

const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * Returns the problem with a single name on Windows, or null if it is valid.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function windowsNameProblem(name: string): WindowsNameProblem | null {
  if (name === '.' || name === '..') return null;
  if (name.includes(':')) return 'stream';
  if (device.test(name)) return 'device';
  if (/[. ]$/.test(name)) return 'end';
  return /[<>"|?*\u0000-\u001f]/.test(name) ? 'character' : null;
}
