import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf } from './gitPattern';
import { RuleList } from './ruleList';

/** Files at the top of a workspace folder that say, in the syntax of a `.gitignore`, what no model may see; the first is our own. */
export const neverFiles = ['.ollamacopilotignore', '.aiexclude', '.aiignore', '.cursorignore'] as const;

/** Bytes of such a file; a longer one closes the whole folder, as nobody can say what it means. */
const maxBytes = 1024 * 1024;

/** A person's "never": files of a workspace folder that no tool, mention, search or completion may open, whatever git says. */
export class NeverRules {
  private constructor(
    private readonly lists: readonly RuleList[],
    private readonly isAllClosed: boolean,
  ) {}

  /** Reads the rules of a workspace folder; null where it has none. */
  static of(root: string): NeverRules | null {
    const lists: RuleList[] = [];
    let isAllClosed = false;
    for (const name of neverFiles) {
      const text = textOf(join(root, name));
      if (text === null) isAllClosed = true;
      else if (text !== undefined) lists.push(new RuleList(bytesOf(text), process.platform !== 'linux'));
    }
    return isAllClosed || lists.some((list) => !list.isEmpty) ? new NeverRules(lists, isAllClosed) : null;
  }

  /** Tells whether a path from the folder, with `/`, is closed: by its own name or that of a folder above it. */
  isClosed(path: string, isFolder: boolean): boolean {
    if (path === '') return false;
    if (this.isAllClosed) return true;
    const names = path.split('/');
    return this.lists.some((list) =>
      names.some((name, index) => {
        const inside = names.slice(0, index + 1).join('/');
        return list.decide(bytesOf(name), bytesOf(inside), isFolder || index < names.length - 1) === true;
      }),
    );
  }
}

/** Returns undefined where there is no such file, null where it is there and cannot be read. */
function textOf(file: string): string | null | undefined {
  try {
    return statSync(file).size > maxBytes ? null : readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : null;
  }
}
