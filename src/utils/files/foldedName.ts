/** Returns the form of a name or path in which file systems that ignore case and Unicode form compare it, such as those of macOS. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}
