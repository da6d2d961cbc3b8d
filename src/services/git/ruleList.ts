import { GitPattern } from './gitPattern';

/** Lines of one file with ignore rules. The last matching line decides. */
export class RuleList {
  private readonly byName = new Map<string, number[]>();
  private readonly byEnding = new Map<string, number[]>();
  private readonly others: number[] = [];
  private readonly patterns: GitPattern[] = [];

  constructor(text: string, ignoreCase: boolean) {
    for (const line of text.split('\n')) {
      const pattern = GitPattern.parse(line.endsWith('\r') ? line.slice(0, -1) : line, ignoreCase);
      if (pattern === null) continue;
      const index = this.patterns.push(pattern) - 1;
      if (pattern.literalName !== null) note(this.byName, pattern.literalName, index);
      else if (pattern.nameEnding?.startsWith('.')) note(this.byEnding, pattern.nameEnding, index);
      else this.others.push(index);
    }
  }

  get isEmpty(): boolean {
    return this.patterns.length === 0;
  }

  /**
   * Returns true if a path is ignored, false if it is included, and undefined if no
   * line matches. `path` is relative to the folder of the rules. Both are bytes.
   */
  decide(name: string, path: string, isFolder: boolean): boolean | undefined {
    let found = this.findLast(this.byName.get(name), isFolder);
    if (this.byEnding.size > 0) {
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        found = Math.max(found, this.findLast(this.byEnding.get(name.slice(dot)), isFolder));
      }
    }
    for (let at = this.others.length - 1; at >= 0; at -= 1) {
      const index = this.others[at] as number;
      if (index < found) break;
      const pattern = this.patterns[index] as GitPattern;
      if ((isFolder || !pattern.onlyFolders) && pattern.matches(name, path)) {
        found = index;
        break;
      }
    }
    return found < 0 ? undefined : !(this.patterns[found] as GitPattern).isNegated;
  }

  private findLast(indexes: readonly number[] | undefined, isFolder: boolean): number {
    return indexes?.findLast((index) => isFolder || !this.patterns[index]?.onlyFolders) ?? -1;
  }
}

function note(map: Map<string, number[]>, key: string, index: number): void {
  const indexes = map.get(key);
  if (indexes === undefined) map.set(key, [index]);
  else indexes.push(index);
}
