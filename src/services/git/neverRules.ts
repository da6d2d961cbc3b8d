import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { composedName } from '../../utils/files/foldedName';
import { bytesOf } from './gitPattern';
import { RuleList } from './ruleList';

/** Files at the top of a workspace folder with paths that no model may see, in `.gitignore` syntax. The first is our own. */
export const neverFiles = ['.ollamacopilotignore', '.aiexclude', '.aiignore', '.cursorignore'] as const;

/** Size limit in bytes. A larger file closes the whole folder, because it is not read. */
const maxBytes = 1024 * 1024;

/** Paths that no tool, mention, search or completion may open, whatever Git's rules say. The Unicode form of a name does not matter. */
export class NeverRules {
  private constructor(
    private readonly lists: readonly RuleList[],
    private readonly isAllClosed: boolean,
  ) {}

  /** Reads the rules of a workspace folder; null if it has none. */
  static of(root: string): NeverRules | null {
    const lists: RuleList[] = [];
    let isAllClosed = false;
    for (const name of neverFiles) {
      const text = textOf(join(root, name));
      if (text === null) isAllClosed = true;
      else if (text !== undefined) lists.push(new RuleList(bytesOf(composedName(text)), process.platform !== 'linux'));
    }
    return isAllClosed || lists.some((list) => !list.isEmpty) ? new NeverRules(lists, isAllClosed) : null;
  }

  /** Returns true if a path from the folder, with `/`, or one of its parents is closed. */
  isClosed(path: string, isFolder: boolean): boolean {
    if (path === '') return false;
    if (this.isAllClosed) return true;
    const names = composedName(path).split('/');
    return this.lists.some((list) =>
      names.some((name, index) => {
        const inside = names.slice(0, index + 1).join('/');
        return list.decide(bytesOf(name), bytesOf(inside), isFolder || index < names.length - 1) === true;
      }),
    );
  }
}

/** Returns undefined for a missing file, null for one that cannot be read. */
function textOf(file: string): string | null | undefined {
  try {
    return statSync(file).size > maxBytes ? null : readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : null;
  }
}
