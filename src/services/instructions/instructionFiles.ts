import { walkFolder } from '../search/workspaceWalk';
import type { WorkspaceFolder } from '../files/workspacePorts';
import { findInstructionKind, isAgent, isPrompt, isSkill, type InstructionKind } from './instructionKinds';
import { toOneLine, readInstructionText } from './instructionText';

export interface InstructionFile {
  kind: InstructionKind;
  /** Path in the form that the tools use: relative to the workspace, with the folder name in a multi-root workspace. */
  shown: string;
  /** Text without front matter and without hidden characters. */
  text: string;
  /** Number of removed hidden characters. */
  hidden: number;
  /** False if a part of the front matter could not be read. */
  isComplete: boolean;
  /** Files to which the instructions apply: files below a folder, or files that match patterns. Null for all files. */
  scope: { below: string } | { matching: string } | null;
}

/** Maximum number of folder entries to scan for nested files. */
const maxEntries = 50_000;

/** Skill. The model reads its file when the description fits the task. */
export interface SkillFile {
  name: string;
  /** Empty if the skill has no description. */
  description: string;
  shown: string;
  problem: SkillProblem | null;
}

/** `unreadable` means that the file is empty, too large, outside the folder, or cannot be read. */
type SkillProblem = 'noDescription' | 'unreadable';

/** Prompt that the user runs with `/`. */
export interface PromptFile {
  name: string;
  description: string;
  text: string;
}

/**
 * Lists the paths of instruction files, skills, prompts and agents in
 * a folder. Skips ignored files. Does not follow links to folders.
 */
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
  return findInstructionKind(path) !== null || isSkill(path) || isPrompt(path) || isAgent(path);
}

/**
 * Reads the front matter of a skill. Returns null if the file is not a skill. By default, a skill has the name of its folder.
 * `name` is the name of the workspace folder, or null if there is only one.
 */
export async function readSkill(folder: WorkspaceFolder, path: string, name: string | null): Promise<SkillFile | null> {
  if (!isSkill(path)) return null;
  const found = await readInstructionText(folder, path);
  const called = toOneLine(found?.fields['name'] ?? '') || toOneLine(path.split('/').at(-2) ?? '');
  const description = toOneLine(found?.fields['description'] ?? '');
  const problem = found === null ? 'unreadable' : description === '' ? 'noDescription' : null;
  return { name: called, description, shown: name === null ? path : `${name}/${path}`, problem };
}

/** Reads a prompt file. Returns null if the file is empty, unreadable or not a prompt. */
export async function readPrompt(folder: WorkspaceFolder, path: string): Promise<PromptFile | null> {
  const found = isPrompt(path) ? await readInstructionText(folder, path) : null;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.prompt\.md$/, '');
  return found === null ? null : { name, description: toOneLine(found.fields['description'] ?? ''), text: found.text };
}

/**
 * Reads an instruction file. Returns null if the file is empty, too large, outside the folder, or not an instruction file. `name`
 * is the name of the workspace folder, or null if there is only one folder.
 */
export async function readInstructionFile(
  folder: WorkspaceFolder,
  path: string,
  name: string | null,
): Promise<InstructionFile | null> {
  const kind = findInstructionKind(path);
  if (kind === null) return null;
  const found = await readInstructionText(folder, path);
  if (found === null) return null;
  const prefix = name === null ? '' : `${name}/`;
  const scope = chooseScope(kind, path, prefix, found.fields['applyTo']);
  return { kind, shown: prefix + path, text: found.text, hidden: found.hidden, isComplete: found.isComplete, scope };
}

function chooseScope(kind: InstructionKind, path: string, prefix: string, applyTo: string | undefined): InstructionFile['scope'] {
  if (kind === '.github/instructions') {
    const patterns = (applyTo ?? '').trim();
    return patterns === '' || patterns === '**' || patterns === '**/*' ? null : { matching: patterns };
  }
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (kind === '.github/copilot-instructions.md' || folder === '') return prefix === '' ? null : { below: prefix.slice(0, -1) };
  return { below: prefix + folder };
}

function byDepth(one: string, other: string): number {
  const first = one.split('/').length;
  const second = other.split('/').length;
  return first - second || (one < other ? -1 : one > other ? 1 : 0);
}
