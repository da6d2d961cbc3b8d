import { isNameOnly, type FileState } from '../scan/scannedFile';

/**
 * Checks whether a path without a manifest entry may have existed.
 * This is possible if its folder was excluded or had too many names.
 */
export class LeftOutFolders {
  private readonly known = new Map<string, boolean>();

  constructor(private readonly find: (root: number, path: string) => FileState | null) {}

  holds(root: number, path: string): boolean {
    return path !== '' && this.isLeftOut(root, path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  }

  private isLeftOut(root: number, folder: string): boolean {
    const key = `${root}:${folder}`;
    let isLeftOut = this.known.get(key);
    if (isLeftOut === undefined) {
      isLeftOut = isNameOnly(this.find(root, folder)) || this.holds(root, folder);
      this.known.set(key, isLeftOut);
    }
    return isLeftOut;
  }
}
