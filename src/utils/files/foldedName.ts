/** Returns the form of a name or path that file systems compare if they ignore case and Unicode form, such as on macOS. */
export function foldedName(name: string): string {
  return composedName(name).toLowerCase().normalize('NFC');
}

/** Returns a name or path with composed characters. */
export function composedName(name: string): string {
  return name.normalize('NFC');
}

/** Returns true if two names or paths look the same. They can differ in Unicode form, but not in case. */
export function isSameName(one: string, other: string): boolean {
  return one === other || composedName(one) === composedName(other);
}

/** Returns true if a file system may treat two names or paths as equal. They then differ at most in case and Unicode form. */
export function mayBeSameName(one: string, other: string): boolean {
  return one === other || foldedName(one) === foldedName(other);
}
