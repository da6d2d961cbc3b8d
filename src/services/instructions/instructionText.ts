import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../utils/files/isInside';
import { withoutHidden } from '../../utils/text/hiddenCharacters';
import type { WorkspaceFolder } from '../files/workspacePorts';
import { readFrontMatter, type FrontMatter } from './frontMatter';

/** Bytes of one file beyond which it is no instruction. */
const maxBytes = 256 * 1024;

/** Text of a file with its front matter; `hidden` characters were taken out of it. */
export interface InstructionText extends Pick<FrontMatter, 'fields' | 'lists'> {
  text: string;
  hidden: number;
}

/** Reads a text with its front matter; null where it is none, empty, too large, or leads out of the folder. */
export async function readText(folder: WorkspaceFolder, path: string): Promise<InstructionText | null> {
  try {
    const real = await realpath(join(folder.path, path));
    const stats = await stat(real);
    if (!isInside(real, folder.path) || !stats.isFile() || stats.size > maxBytes) return null;
    const { fields, lists, body } = await readFrontMatter(await readFile(real, 'utf8'));
    const { text, removed } = withoutHidden(body);
    return text.trim() === '' ? null : { fields, lists, text: text.trim(), hidden: removed };
  } catch {
    // It went away, or may not be read: nothing can be said of it to a model.
    return null;
  }
}

/** Returns a text as one line that shows all it has, of 400 characters at the most. */
export function oneLine(text: string): string {
  return withoutHidden(text).text.replace(/\s+/g, ' ').trim().slice(0, 400);
}
