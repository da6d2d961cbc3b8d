import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../../config/settings';
import { isKeptBack, repositoryAround } from '../../services/search/searchRules';
import type { SessionRecord } from '../../types/session';
import { isInside } from '../../utils/files/isInside';
import {
  FileSensitivity,
  isProtected,
  type Sensitivity,
  type SensitivityPatterns,
} from '../../utils/sensitivity/fileSensitivity';
import { phrase, type Phrase } from '../../utils/l10n';
import { hasKeyInText } from './keyLook';
import { windowsFault } from '../../utils/files/windowsNames';
import { look, type SeenFile } from '../../services/files/openSeen';
import type { SessionStore } from '../kernel/ports';
import type { LocatedPath, ResolvedPath, WorkspacePaths } from '../../services/files/workspacePaths';

/** A file that a tool may use once a person has agreed to each of the reasons; there may be none. */
export interface AccessTarget extends ResolvedPath {
  isOutside: boolean;
  reasons: Phrase[];
  /** Reasons to ask a person before the model is told anything of the content, whatever it may be used for. */
  readReasons: Phrase[];
  /** Identity of the file that the reasons are about; null if there is none. */
  seen: SeenFile | null;
  /** Text of it that nobody was asked about is looked into for keys before it is told: no pattern of a person frees it. */
  isLookedInto: boolean;
}

const patternsSchema = z.record(z.string(), z.boolean());

/** Says why text that holds what looks like a key is asked about. */
export const keyReason = (): Phrase => phrase('contains what looks like a key or a token');

const words: Readonly<Record<Sensitivity, string>> = {
  secret: 'may hold secrets',
  build: 'decides what is installed, built or run',
  instructions: 'may give instructions to agents',
  listed: 'is on the list of sensitive files',
};

/**
 * Decides where tools may read and write, and what a person is asked first. Throws a `PathError` for what nobody is
 * asked about.
 */
export class FileAccess {
  constructor(
    readonly paths: WorkspacePaths,
    private readonly settings: Pick<Settings, 'getAgentConfig'>,
    private readonly sessions: Pick<SessionStore, 'get'>,
  ) {}

  /** Checks a path for reading. All of a file is looked through for keys until `signal` fires. */
  async forReading(path: string, sessionId: string, signal?: AbortSignal): Promise<AccessTarget> {
    const located = await this.paths.locate(path);
    const { sensitivity } = await this.rulesOf(sessionId);
    const found = await lookAt(located, sensitivity);
    const reasons = [...secretReasons(located, sensitivity), ...this.keptBack(located, sensitivity)];
    if (found.seen?.kind === 'other') reasons.push(phrase('is no regular file'));
    else if (reasons.length === 0) reasons.push(...(await keyReasons(located, found, signal)));
    return { ...targetOf(located, reasons, reasons), ...found };
  }

  /** Checks a path for writing. The given name and the real one are asked about alike. */
  async forWriting(path: string, sessionId: string): Promise<AccessTarget> {
    const located = await this.paths.locate(path);
    const { names } = located;
    const { sensitivity, session } = await this.rulesOf(sessionId);
    const reasons: Phrase[] = [];
    const keptBack = this.keptBack(located, sensitivity);
    if (names.some(isProtected) || isNamedByGit(located))
      reasons.push(phrase('configures the editor, git or an agent, or runs by itself'));
    if (session?.auto_approve_sensitive_edits !== 1) {
      const kinds = new Set(names.map((name) => sensitivity.of(name)));
      for (const kind of ['secret', 'build', 'instructions', 'listed'] as const)
        if (kinds.has(kind)) reasons.push(phrase(words[kind]));
      reasons.push(...keptBack);
    }
    if (reasons.length === 0 && meansOtherOnWindows(located)) reasons.push(phrase('would be another file on Windows'));
    const found = await lookAt(located, sensitivity);
    const readReasons = [...secretReasons(located, sensitivity), ...keptBack];
    if (readReasons.length === 0) readReasons.push(...(await keyReasons(located, found)));
    return { ...targetOf(located, reasons, readReasons), ...found };
  }

  /** Returns the patterns of a person that hold in a session, those that take precedence last. */
  async patterns(sessionId: string): Promise<SensitivityPatterns[]> {
    return this.patternsOf(await this.sessions.get(sessionId));
  }

  /**
   * Returns a reason to ask about a file that git ignores, as about a sensitive one, unless a pattern frees it by its own name, not a
   * link's.
   */
  private keptBack({ real, realNames, root }: LocatedPath, sensitivity: FileSensitivity): Phrase[] {
    if (root === null || real === root || realNames.some((name) => sensitivity.isFreed(name))) return [];
    return isKeptBack(real, root) ? [phrase('is ignored by git')] : [];
  }

  private async rulesOf(sessionId: string): Promise<{ sensitivity: FileSensitivity; session: SessionRecord | undefined }> {
    const session = await this.sessions.get(sessionId);
    return { sensitivity: new FileSensitivity(...this.patternsOf(session)), session };
  }

  private patternsOf(session: SessionRecord | undefined): SensitivityPatterns[] {
    return [this.settings.getAgentConfig().sensitiveFilePatterns, sessionPatterns(session?.sensitive_file_patterns ?? null)];
  }
}

type Found = Pick<AccessTarget, 'seen' | 'isLookedInto'>;

async function lookAt({ real, exists, realNames }: LocatedPath, sensitivity: FileSensitivity): Promise<Found> {
  const isLookedInto = !realNames.some((name) => sensitivity.isFreedByPerson(name));
  return { seen: exists ? await look(real) : null, isLookedInto };
}

async function keyReasons({ real }: LocatedPath, { seen, isLookedInto }: Found, signal?: AbortSignal): Promise<Phrase[]> {
  return isLookedInto && (await hasKeyInText(real, seen, signal)) ? [keyReason()] : [];
}

function targetOf(
  { real, shown, exists, isOutside }: LocatedPath,
  use: Phrase[],
  read: Phrase[],
): Omit<AccessTarget, keyof Found> {
  const place = isOutside ? [phrase('outside the workspace')] : [];
  return { real, shown, exists, isOutside, reasons: [...place, ...use], readReasons: [...place, ...read] };
}

/** Tells whether the settings of the file's repository name it: in the folder of `core.hooksPath`, or as `core.excludesFile`. */
function isNamedByGit({ real }: LocatedPath): boolean {
  const config = repositoryAround(dirname(real))?.config;
  if (config === undefined) return false;
  const { hooksPath, excludesFile } = config;
  const isHook = hooksPath !== null && (isInside(real, hooksPath) || isInside(real, realOf(hooksPath)));
  return isHook || (excludesFile !== null && (real === excludesFile || real === realOf(excludesFile)));
}

/** Tells whether a new file would have a name that Windows reads as another file, or as a device. An ordinary `con.ts` has not. */
function meansOtherOnWindows({ real, exists }: LocatedPath): boolean {
  if (exists) return false;
  const name = basename(real);
  const fault = windowsFault(name);
  return fault === 'stream' || fault === 'end' || (fault === 'device' && !name.includes('.'));
}

function realOf(path: string): string {
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

/** Parses the patterns of a session. Unreadable ones free nothing: the patterns that hold for all sessions apply. */
export function sessionPatterns(stored: string | null): SensitivityPatterns {
  if (stored === null) return {};
  try {
    return patternsSchema.parse(JSON.parse(stored));
  } catch {
    return {};
  }
}
