import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../utils/isInside';
import { withoutHidden } from '../../utils/text/hiddenCharacters';
import { walkFolder } from '../search/workspaceWalk';
import type { WorkspaceFolder } from '../files/workspacePorts';
import { readFrontMatter } from './frontMatter';
import { instructionKindOf, isPrompt, isSkill, type InstructionKind } from './instructionKinds';

/** A file with instructions of the people who work on a workspace. */
export interface InstructionFile {
  kind: InstructionKind;
  /** Path as tools name it: from the workspace, with the name of the folder where there are several. */
  shown: string;
  /** Text without front matter and hidden characters. */
  text: string;
  /** Hidden characters that were taken out. */
  hidden: number;
  /** Files that it is about: below a folder, or those that match patterns; null: all. */
  scope: { below: string } | { matching: string } | null;
}

/** Bytes of one file beyond which it is no instruction. */
const maxBytes = 256 * 1024;
/** Entries of a folder that are looked through for nested files. */
const maxEntries = 50_000;

/** A skill: a model reads its file when the description fits what it is asked. */
export interface SkillFile {
  name: string;
  description: string;
  shown: string;
}

/** A prompt that a person runs with `/`. */
export interface PromptFile {
  name: string;
  description: string;
  text: string;
}

/** Lists the paths of instruction files, skills and prompts in a folder, without what is ignored; links are not followed to find any. */
export async function findInstructionFiles(folder: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  let seen = 0;
  for await (const entries of walkFolder(folder, { root: folder, isRecursive: true, signal })) {
    seen += entries.length;
    for (const { path, kind, isIgnored } of entries) {
      if (kind !== 'folder' && !isIgnored && isWanted(path)) found.push(path);
    }
    if (seen > maxEntries) break;
  }
  return found.sort(byDepth);
}

function isWanted(path: string): boolean {
  return instructionKindOf(path) !== null || isSkill(path) || isPrompt(path);
}

/** Reads the head of a skill; null for one without a name or a description. `name`: of the folder, where there are several. */
export async function readSkill(folder: WorkspaceFolder, path: string, name: string | null): Promise<SkillFile | null> {
  const found = isSkill(path) ? await readText(folder, path) : null;
  const { name: called = '', description = '' } = found?.fields ?? {};
  const shown = name === null ? path : `${name}/${path}`;
  return called === '' || description === '' ? null : { name: oneLine(called), description: oneLine(description), shown };
}

/** Reads a prompt; null for an empty one. */
export async function readPrompt(folder: WorkspaceFolder, path: string): Promise<PromptFile | null> {
  const found = isPrompt(path) ? await readText(folder, path) : null;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.prompt\.md$/, '');
  return found === null ? null : { name, description: oneLine(found.fields['description'] ?? ''), text: found.text };
}

function oneLine(text: string): string {
  return withoutHidden(text).text.replace(/\s+/g, ' ').trim().slice(0, 400);
}

/** Reads a file; null where it is none, empty, too large, or leads out of the folder. `name`: of the folder, where there are several. */
export async function readInstructionFile(
  folder: WorkspaceFolder,
  path: string,
  name: string | null,
): Promise<InstructionFile | null> {
  const kind = instructionKindOf(path);
  if (kind === null) return null;
  const found = await readText(folder, path);
  if (found === null) return null;
  const prefix = name === null ? '' : `${name}/`;
  const scope = scopeOf(kind, path, prefix, found.fields['applyTo']);
  return { kind, shown: prefix + path, text: found.text, hidden: found.hidden, scope };
}

/** Reads a text with its front matter; null where it is none, empty, too large, or leads out of the folder. */
async function readText(
  folder: WorkspaceFolder,
  path: string,
): Promise<{ fields: Readonly<Record<string, string>>; text: string; hidden: number } | null> {
  try {
    const real = await realpath(join(folder.path, path));
    const stats = await stat(real);
    if (!isInside(real, folder.path) || !stats.isFile() || stats.size > maxBytes) return null;
    const { fields, body } = readFrontMatter(await readFile(real, 'utf8'));
    const { text, removed } = withoutHidden(body);
    return text.trim() === '' ? null : { fields, text: text.trim(), hidden: removed };
  } catch {
    // It went away, or may not be read: nothing can be said of it to a model.
    return null;
  }
}

function scopeOf(kind: InstructionKind, path: string, prefix: string, applyTo: string | undefined): InstructionFile['scope'] {
  if (kind === '.github/instructions') {
    const patterns = (applyTo ?? '').trim();
    return patterns === '' || patterns === '**' || patterns === '**/*' ? null : { matching: patterns };
  }
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (kind === '.github/copilot-instructions.md' || folder === '') return prefix === '' ? null : { below: prefix.slice(0, -1) };
  return { below: prefix + folder };
}

function byDepth(one: string, other: string): number {
  const [first, second] = [one.split('/').length, other.split('/').length];
  return first - second || (one < other ? -1 : one > other ? 1 : 0);
}
