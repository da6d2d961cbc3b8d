import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cutHead } from '../../types/cutText';
import { isInside } from '../../utils/files/isInside';
import { withoutHidden } from '../../utils/text/hiddenCharacters';
import { readableText } from '../../utils/text/textFile';
import type { WorkspaceFolder } from '../files/workspacePorts';
import { readFrontMatter, type FrontMatter } from './frontMatter';

const maxBytes = 256 * 1024;

/** Text and front matter of a file. `hidden` is the number of removed hidden characters. */
export interface InstructionText extends Pick<FrontMatter, 'fields' | 'lists' | 'isComplete'> {
  text: string;
  hidden: number;
}

/**
 * Reads a text file with front matter. Returns null if the path is not
 * a file, or if the file is empty, too large or outside the folder.
 */
export async function readInstructionText(folder: WorkspaceFolder, path: string): Promise<InstructionText | null> {
  try {
    const real = await realpath(join(folder.path, path));
    const stats = await stat(real);
    if (!isInside(real, folder.path) || !stats.isFile() || stats.size > maxBytes) return null;
    const written = readableText(await readFile(real));
    if (written === null) return null;
    const { fields, lists, isComplete, body } = await readFrontMatter(written);
    const { text, removed } = withoutHidden(body);
    return text.trim() === '' ? null : { fields, lists, isComplete, text: text.trim(), hidden: removed };
  } catch {
    // The file was deleted, or it is not readable.
    return null;
  }
}

/** Returns a text as a single line without hidden characters. The line has at most 400 characters. */
export function toOneLine(text: string): string {
  return cutHead(withoutHidden(text).text.replace(/\s+/g, ' ').trim(), 400);
}
