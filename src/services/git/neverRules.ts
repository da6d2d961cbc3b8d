import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../utils/errors';
import { composedName } from '../../utils/files/foldedName';
import { phrase, type Phrase } from '../../utils/l10n';
import { decodeText } from '../../utils/text/textFile';
import { toByteString } from './gitPattern';
import { RuleList } from './ruleList';

/**
 * Files at the top of a workspace folder with paths that no model may read, in `.gitignore` syntax. The first is the extension's
 * own file.
 */
export const neverFiles = ['.ollamacopilotignore', '.aiexclude', '.aiignore', '.cursorignore'] as const;

/** Size limit in bytes. A larger file is not read and therefore blocks the whole folder. */
const maxBytes = 1024 * 1024;

/** Paths that no tool, mention, search or completion may open, regardless of Git's rules. Names match in any Unicode form. */
export class NeverRules {
  private constructor(
    private readonly lists: readonly RuleList[],
    /** Set if a rules file cannot be read. In this case all paths are blocked. */
    readonly problem: Phrase | null,
  ) {}

  /** Reads the rules of a workspace folder. Returns null if it has none. */
  static of(root: string): NeverRules | null {
    const lists: RuleList[] = [];
    let problem: Phrase | undefined;
    for (const name of neverFiles) {
      const rules = rulesIn(root, name);
      if (typeof rules === 'string') lists.push(new RuleList(toByteString(composedName(rules)), process.platform !== 'linux'));
      else problem ??= rules;
    }
    return problem !== undefined || lists.some((list) => !list.isEmpty) ? new NeverRules(lists, problem ?? null) : null;
  }

  /** Returns true if a path or one of its parents is blocked. The path is relative to the folder, with `/`. */
  isClosed(path: string, isFolder: boolean): boolean {
    if (path === '') return false;
    if (this.problem !== null) return true;
    const names = composedName(path).split('/');
    return this.lists.some((list) =>
      names.some((name, index) => {
        const inside = names.slice(0, index + 1).join('/');
        return list.decide(toByteString(name), toByteString(inside), isFolder || index < names.length - 1) === true;
      }),
    );
  }
}

/** Returns the rules as text. Returns undefined for a missing file, and the problem if the file cannot be read. */
function rulesIn(root: string, name: string): string | Phrase | undefined {
  const file = join(root, name);
  try {
    // A link without a target is not a missing file.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    const found = statSync(file);
    // Reading a pipe would wait for its writer.
    if (!found.isFile())
      return phrase('{0} is not a file, so the whole folder is blocked for the agent. Replace it by a file, or delete it.', name);
    if (found.size > maxBytes)
      return phrase('{0} is larger than 1 MB, so the whole folder is blocked for the agent. Shorten the file.', name);
    const text = decodeText(readFileSync(file))?.text;
    if (text !== undefined) return plainRules(text);
    return phrase(
      '{0} is not encoded in UTF-8 or UTF-16, so the whole folder is blocked for the agent. Save the file as UTF-8.',
      name,
    );
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? messageOf(error);
    if (code === 'ENOTDIR') return undefined;
    return phrase('Could not open {0} ({1}), so the whole folder is blocked for the agent. Make it readable.', name, code);
  }
}

/**
 * Removes byte order marks before lines, which remain when files are concatenated.
 * Converts old Mac line endings. Neither is part of an intended path.
 */
function plainRules(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/^\uFEFF+/gm, '');
}
