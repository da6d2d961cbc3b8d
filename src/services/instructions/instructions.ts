import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../config/settings';
import { conservativeTokenLength } from '../../types/tokenLength';
import type { Clock } from '../../utils/clock';
import type { Logger } from '../../utils/logger';
import { trustedFolders, type WorkspaceFolder, type WorkspacePort } from '../files/workspacePorts';
import {
  findInstructionFiles,
  readInstructionFile,
  readPrompt,
  readSkill,
  type InstructionFile,
  type PromptFile,
  type SkillFile,
} from './instructionFiles';
import { readAgent, type AgentFile } from './agentFiles';
import { instructionKinds } from './instructionKinds';

/** Cache times for the list of files and for the texts of known files, in milliseconds. */
const listCacheMs = 60_000;
const textCacheMs = 2_000;
/** Common file names. Every read checks whether a file with one of these names was created. */
const usualNames = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];
/** Maximum share of the context window for instructions. */
const maxShare = 0.2;

/** Instruction file, with information about its part of the prompt. */
export interface UsedInstruction {
  shown: string;
  /** Number of characters in the prompt. */
  characters: number;
  isLeftOut: boolean;
  /** Number of removed hidden characters. */
  hidden: number;
  /**
   * Problem with the file. `frontMatter` means that a part of it could
   * not be read. `noDescription` and `unreadable` apply to skills.
   */
  problem?: 'frontMatter' | NonNullable<SkillFile['problem']>;
}

export interface PromptInstructions {
  /** Part of the system prompt. Empty if there are no instructions. */
  prompt: string;
  files: UsedInstruction[];
}

interface Cached<T> {
  at: number;
  value: Promise<T>;
}

const none: PromptInstructions = { prompt: '', files: [] };

/** Provides the instructions of a trusted workspace for the prompt. Omits instructions that do not fit into the available space. */
export class Instructions {
  private lists: Cached<FoundPaths[]> | undefined;
  private texts: Cached<FoundTexts> | undefined;
  private folderKey = '';

  constructor(
    private readonly settings: Pick<Settings, 'getConfig'>,
    private readonly workspace: WorkspacePort,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Returns identical text for the same files, context window and agent. `window` is in tokens. */
  async forWindow(window: number, agent: AgentFile | null = null): Promise<PromptInstructions> {
    const wanted = this.settings.getConfig().agent.instructionFiles;
    const folders = trustedFolders(this.workspace);
    if (wanted.length === 0 || folders.length === 0) return none;
    const { instructions, skills } = await this.read(folders);
    const files = inOrder(instructions.filter(({ kind }) => wanted.includes(kind)));
    const room = Math.floor(window * maxShare * conservativeTokenLength);
    return files.length + skills.length === 0 && agent === null ? none : buildPrompt(agent, files, skills, room);
  }

  async prompts(): Promise<PromptFile[]> {
    const folders = trustedFolders(this.workspace);
    return folders.length === 0 ? [] : (await this.read(folders)).prompts;
  }

  /** Lists the agents of a trusted workspace in file order. Returns an empty list if the user has disabled agents. */
  async agents(): Promise<AgentFile[]> {
    const folders = trustedFolders(this.workspace);
    const isWanted = this.settings.getConfig().agent.instructionFiles.includes('.github/agents');
    return isWanted && folders.length > 0 ? (await this.read(folders)).agents : [];
  }

  private async read(folders: readonly WorkspaceFolder[]): Promise<FoundTexts> {
    const now = this.clock.now();
    const places = JSON.stringify(folders);
    if (places !== this.folderKey) {
      this.folderKey = places;
      this.lists = undefined;
      this.texts = undefined;
    }
    if (this.texts !== undefined && now - this.texts.at < textCacheMs) return this.texts.value;
    const isOld = this.lists === undefined || now - this.lists.at >= listCacheMs;
    const value = this.listed(folders, isOld ? undefined : this.lists?.value, now).then((found) => readAll(found));
    this.texts = { at: now, value };
    return value;
  }

  /** Returns the known files. Searches again if no files are known, or if a file with a usual name was created since. */
  private async listed(folders: readonly WorkspaceFolder[], known: Promise<FoundPaths[]> | undefined, now: number) {
    const found = await known;
    if (found !== undefined && !(await hasNewFiles(found))) return found;
    this.lists = { at: now, value: this.find(folders) };
    return this.lists.value;
  }

  private async find(folders: readonly WorkspaceFolder[]): Promise<FoundPaths[]> {
    const found: FoundPaths[] = [];
    for (const folder of folders) {
      const usual = await usualIn(folder.path);
      const paths = await findInstructionFiles(folder.path, new AbortController().signal).catch((error: unknown) => {
        this.logger.warn('Could not look for instructions', error);
        return [];
      });
      found.push({ folder, paths, usual });
    }
    return found;
  }
}

interface FoundPaths {
  folder: WorkspaceFolder;
  paths: string[];
  /** Usual names that existed at the time of the search, including files that are not used. */
  usual: string[];
}

/** Returns the usual names that exist in a folder. */
async function usualIn(folder: string): Promise<string[]> {
  const isThere = await Promise.all(
    usualNames.map((name) =>
      access(join(folder, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return usualNames.filter((_name, index) => isThere[index]);
}

/** Returns whether a file with a usual name was created since the search. */
async function hasNewFiles(found: readonly FoundPaths[]): Promise<boolean> {
  for (const { folder, usual } of found) if ((await usualIn(folder.path)).some((name) => !usual.includes(name))) return true;
  return false;
}

interface FoundTexts {
  instructions: InstructionFile[];
  skills: SkillFile[];
  prompts: PromptFile[];
  agents: AgentFile[];
}

async function readAll(found: readonly { folder: WorkspaceFolder; paths: string[] }[]): Promise<FoundTexts> {
  const files: InstructionFile[] = [];
  const skills: SkillFile[] = [];
  const prompts: PromptFile[] = [];
  const agents: AgentFile[] = [];
  for (const { folder, paths } of found) {
    const name = found.length > 1 ? folder.name : null;
    for (const path of paths) {
      const file = await readInstructionFile(folder, path, name);
      // Use identical files only once, because CLAUDE.md is often a copy of AGENTS.md.
      const isKnown = (other: InstructionFile) => other.text === file?.text && sameScope(other, file);
      if (file !== null && !files.some(isKnown)) files.push(file);
      const skill = await readSkill(folder, path, name);
      if (skill !== null && !skills.some((other) => other.name === skill.name)) skills.push(skill);
      const prompt = await readPrompt(folder, path);
      if (prompt !== null && !prompts.some((other) => other.name === prompt.name)) prompts.push(prompt);
      const agent = await readAgent(folder, path, name);
      if (agent !== null && !agents.some((other) => other.name === agent.name)) agents.push(agent);
    }
  }
  return { instructions: files, skills, prompts, agents };
}

/** Sorts general files before specific files, with the nearest file last. If space is short, specific files are omitted first. */
function inOrder(files: readonly InstructionFile[]): InstructionFile[] {
  const rank = ({ scope, kind }: InstructionFile) =>
    (scope === null ? 0 : 'matching' in scope ? 100 : 200) + instructionKinds.indexOf(kind);
  return files
    .map((file, index) => ({ file, index }))
    .sort((one, other) => rank(one.file) - rank(other.file) || one.index - other.index)
    .map(({ file }) => file);
}

function sameScope(one: InstructionFile, other: InstructionFile): boolean {
  return JSON.stringify(one.scope) === JSON.stringify(other.scope);
}

function buildPrompt(
  agent: AgentFile | null,
  files: readonly InstructionFile[],
  skills: readonly SkillFile[],
  room: number,
): PromptInstructions {
  const parts: string[] = [];
  const used: UsedInstruction[] = [];
  let taken = 0;
  const own: InstructionFile[] = agent === null ? [] : [{ ...agent, kind: '.github/agents', scope: null }];
  for (const file of [...own, ...files]) {
    const about = agent !== null && file === own[0] ? ` (you work as “${agent.name}”)` : scopeText(file);
    const part = `## ${file.shown}${about}\n${file.text}`;
    const isLeftOut = taken + part.length > room;
    if (!isLeftOut) {
      parts.push(part);
      taken += part.length;
    }
    used.push({
      shown: file.shown,
      characters: isLeftOut ? 0 : part.length,
      isLeftOut,
      hidden: file.hidden,
      ...(!file.isComplete && { problem: 'frontMatter' }),
    });
  }
  const missing = [...own, ...files].filter((_, index) => used[index]?.isLeftOut === true);
  if (missing.length > 0) {
    const names = missing.map((file) => `${file.shown}${scopeText(file)}`).join('; ');
    parts.push(`There was no room for: ${names}. Read such a file before you work on what it is about.`);
  }
  const listed = skillsPart(skills, room - taken);
  parts.push(...listed.parts);
  used.push(...listed.used);
  const head =
    'The people who work on this workspace give these instructions. Follow them; what the user says in the chat goes before them.';
  return { prompt: ['', head, ...parts].join('\n\n'), files: used };
}

/** Returns only the names and descriptions of skills. The model reads a skill on demand. */
function skillsPart(skills: readonly SkillFile[], room: number): { parts: string[]; used: UsedInstruction[] } {
  const lines = ['Skills: when a description fits what is asked, read that file first and do as it says.'];
  let taken = lines.join('').length;
  const used = skills.map(({ name, description, shown, problem }): UsedInstruction => {
    const about = problem === null ? {} : { problem };
    if (problem === 'unreadable') return { shown, characters: 0, isLeftOut: false, hidden: 0, ...about };
    const line = `- ${name} (${shown}): ${description || 'no description'}`;
    const isLeftOut = taken + line.length > room;
    if (!isLeftOut) {
      lines.push(line);
      taken += line.length;
    }
    return { shown, characters: isLeftOut ? 0 : line.length, isLeftOut, hidden: 0, ...about };
  });
  return { parts: lines.length > 1 ? [lines.join('\n')] : [], used };
}

function scopeText({ scope }: InstructionFile): string {
  if (scope === null) return '';
  return 'below' in scope ? ` (for files below ${scope.below}, before those above)` : ` (for files that match ${scope.matching})`;
}
