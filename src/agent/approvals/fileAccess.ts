import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../../config/settings';
import { isLocalOnly, findSearchRepository } from '../../services/search/searchRules';
import type { SessionRecord } from '../../types/session';
import { isInside } from '../../utils/files/isInside';
import {
  FileSensitivity,
  isProtected,
  type Sensitivity,
  type SensitivityPatterns,
} from '../../utils/sensitivity/fileSensitivity';
import { phrase, type Phrase } from '../../utils/l10n';
import { hasKeyInText } from './keyScan';
import { windowsNameProblem } from '../../utils/files/windowsNames';
import { identify, type FileIdentity } from '../../services/files/verifiedOpen';
import type { SessionStore } from '../kernel/ports';
import type { LocatedPath, ResolvedPath, WorkspacePaths } from '../../services/files/workspacePaths';

/** Reason to ask the user. */
export interface AccessReason extends Phrase {
  /** Set if a change can affect what runs later, or files outside the workspace. */
  isGrave?: true;
}

/** File that a tool may use. If there are reasons, the user must approve them first. */
export interface AccessTarget extends ResolvedPath {
  isOutside: boolean;
  reasons: AccessReason[];
  /** Reasons that require approval before the model reads any content of the file, with any tool. */
  readReasons: AccessReason[];
  /** Identity of the checked file, or null if the file does not exist. */
  seen: FileIdentity | null;
  /** True if the text must be scanned for keys before the model reads it, because no user pattern exempts the file. */
  needsKeyScan: boolean;
}

const patternsSchema = z.record(z.string(), z.boolean());

export const keyReason = (): Phrase => phrase('may contain a key or token');

const words: Readonly<Record<Sensitivity, string>> = {
  secret: 'may contain secrets',
  build: 'affects how code is installed, built or run',
  instructions: 'may contain instructions for agents',
  listed: 'is in the list of sensitive files',
};

/** Decides where tools may read and write, and when the user must approve. Throws a `PathError` for forbidden paths. */
export class FileAccess {
  constructor(
    readonly paths: WorkspacePaths,
    private readonly settings: Pick<Settings, 'getAgentConfig'>,
    private readonly sessions: Pick<SessionStore, 'get'>,
  ) {}

  /** Checks a path for reading. Scans the whole file for keys unless `signal` is aborted first. */
  async forReading(path: string, sessionId: string, signal?: AbortSignal): Promise<AccessTarget> {
    const located = await this.paths.locate(path);
    const { sensitivity } = await this.readRules(sessionId);
    const found = await inspect(located, sensitivity);
    const reasons = [...secretReasons(located, sensitivity), ...this.keptBack(located, sensitivity)];
    if (found.seen?.kind === 'other') reasons.push(phrase('is not a regular file'));
    else if (reasons.length === 0) reasons.push(...(await keyReasons(located, found, signal)));
    return { ...createTarget(located, reasons, reasons), ...found };
  }

  /** Checks a path for writing. Applies the rules to both the given name and the real name. */
  async forWriting(path: string, sessionId: string): Promise<AccessTarget> {
    const located = await this.paths.locate(path);
    const { names } = located;
    const { sensitivity, session } = await this.readRules(sessionId);
    const reasons: AccessReason[] = [];
    const ignoredReasons = this.keptBack(located, sensitivity);
    if (names.some(isProtected) || isNamedByGit(located))
      reasons.push({ ...phrase('configures the editor, Git or an agent, or runs automatically'), isGrave: true });
    if (session?.auto_approve_sensitive_edits !== 1) {
      const kinds = new Set(names.map((name) => sensitivity.of(name)));
      for (const kind of ['secret', 'build', 'instructions', 'listed'] as const)
        if (kinds.has(kind)) reasons.push({ ...phrase(words[kind]), ...(kind === 'build' && { isGrave: true }) });
      reasons.push(...ignoredReasons);
    }
    if (reasons.length === 0 && isOtherNameOnWindows(located)) reasons.push(phrase('refers to a different file on Windows'));
    const found = await inspect(located, sensitivity);
    const readReasons = [...secretReasons(located, sensitivity), ...ignoredReasons];
    if (readReasons.length === 0) readReasons.push(...(await keyReasons(located, found)));
    return { ...createTarget(located, reasons, readReasons), ...found };
  }

  /** Returns the user's patterns for a session. Later patterns take precedence. */
  async patterns(sessionId: string): Promise<SensitivityPatterns[]> {
    return this.listPatterns(await this.sessions.get(sessionId));
  }

  /**
   * Returns the reason to ask about a file that Git ignores, unless a pattern
   * exempts its real name. The name of a symbolic link does not count.
   */
  private keptBack({ real, realNames, root }: LocatedPath, sensitivity: FileSensitivity): Phrase[] {
    if (root === null || real === root || realNames.some((name) => sensitivity.isExempt(name))) return [];
    return isLocalOnly(real, root) ? [phrase('is ignored by Git')] : [];
  }

  private async readRules(sessionId: string): Promise<{ sensitivity: FileSensitivity; session: SessionRecord | undefined }> {
    const session = await this.sessions.get(sessionId);
    return { sensitivity: new FileSensitivity(...this.listPatterns(session)), session };
  }

  private listPatterns(session: SessionRecord | undefined): SensitivityPatterns[] {
    return [this.settings.getAgentConfig().sensitiveFilePatterns, sessionPatterns(session?.sensitive_file_patterns ?? null)];
  }
}

type Found = Pick<AccessTarget, 'seen' | 'needsKeyScan'>;

async function inspect({ real, exists, realNames }: LocatedPath, sensitivity: FileSensitivity): Promise<Found> {
  const needsKeyScan = !realNames.some((name) => sensitivity.isExemptByUser(name));
  return { seen: exists ? await identify(real) : null, needsKeyScan };
}

async function keyReasons({ real }: LocatedPath, { seen, needsKeyScan }: Found, signal?: AbortSignal): Promise<Phrase[]> {
  return needsKeyScan && (await hasKeyInText(real, seen, signal)) ? [keyReason()] : [];
}

function createTarget(
  { real, shown, exists, isOutside }: LocatedPath,
  use: AccessReason[],
  read: AccessReason[],
): Omit<AccessTarget, keyof Found> {
  const place: AccessReason[] = isOutside ? [{ ...phrase('outside the workspace'), isGrave: true }] : [];
  return { real, shown, exists, isOutside, reasons: [...place, ...use], readReasons: [...place, ...read] };
}

/** Returns whether the Git configuration uses the file as a hook (`core.hooksPath`) or as `core.excludesFile`. */
function isNamedByGit({ real }: LocatedPath): boolean {
  const config = findSearchRepository(dirname(real))?.config;
  if (config === undefined) return false;
  const { hooksPath, excludesFile } = config;
  const isHook = hooksPath !== null && (isInside(real, hooksPath) || isInside(real, resolveReal(hooksPath)));
  return isHook || (excludesFile !== null && (real === excludesFile || real === resolveReal(excludesFile)));
}

/** Returns whether Windows would use the name of a new file for another file or a device. `con.ts` is allowed. */
function isOtherNameOnWindows({ real, exists }: LocatedPath): boolean {
  if (exists) return false;
  const name = basename(real);
  const fault = windowsNameProblem(name);
  return fault === 'stream' || fault === 'end' || (fault === 'device' && !name.includes('.'));
}

function resolveReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function secretReasons({ names }: LocatedPath, sensitivity: FileSensitivity): Phrase[] {
  const secret = names.find((name) => sensitivity.isSecret(name));
  return secret === undefined ? [] : [phrase(words[sensitivity.of(secret) ?? 'secret'])];
}

/** Parses the patterns of a session. Unreadable patterns exempt no files. The patterns in the settings still apply. */
export function sessionPatterns(stored: string | null): SensitivityPatterns {
  if (stored === null) return {};
  try {
    return patternsSchema.parse(JSON.parse(stored));
  } catch {
    return {};
  }
}
