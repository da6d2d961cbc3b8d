import { z } from 'zod';
import type { Grants } from '../../protocol/webviewEvents';
import type { SessionRecord } from '../../types/session';
import { AsyncMutex } from '../../utils/asyncMutex';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import { sessionPatterns } from './fileAccess';
import type { SessionStore } from '../kernel/ports';
import type { BoundFiles, FileHashes } from './boundFiles';
import { parsedJson } from '../../utils/json';

export interface GrantChange {
  commands?: boolean | undefined;
  sensitiveEdits?: boolean | undefined;
  /** True to ask about every command again. */
  forgetCommands?: boolean | undefined;
  files?: Grants['files'] | undefined;
}

/** Something that a person may allow for the session: a command in its folder, or a tool, with the files that it runs. */
export interface Grantable {
  command: string;
  cwd: string;
  /** Absolute paths, free of symbolic links. */
  files: readonly string[];
}

/** A permission as it is stored. Older versions stored no `files`. */
export interface AllowedCommand {
  command: string;
  cwd: string;
  files?: FileHashes | undefined;
}

export interface GrantCheck {
  /** `changed`: a person has allowed it, and the agent has changed files that it runs since. */
  state: 'none' | 'holds' | 'changed';
  /** Contents that the answer to a question is about. */
  files: FileHashes;
  /** Files that were changed as a person is shown them, and the changes; only in `changed`. */
  changed?: { shown: readonly string[]; diff: string };
}

/** Largest number of allowed commands: more than a person could look through. */
const maxAllowed = 50;
const allowedSchema = z
  .array(z.object({ command: z.string(), cwd: z.string(), files: z.record(z.string(), z.string()).optional().catch(undefined) }))
  .catch([]);

/**
 * Holds what a person has allowed for a session without a question. It lies with the session in the storage of the user:
 * nothing that
 * a repository holds, a model says or an import brings can add to it.
 */
export class SessionGrants {
  private readonly changing = new AsyncMutex();
  private readonly changes: Emitter<{ sessionId: string; grants: Grants }>;

  constructor(
    private readonly sessions: Pick<SessionStore, 'get' | 'update'>,
    private readonly logger: Logger,
    private readonly bound: Pick<BoundFiles, 'hashes' | 'changedSince'>,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the grants failed', error));
  }

  get onDidChange() {
    return this.changes.event;
  }

  /** Reads the permissions of a session; none if they cannot be looked up. */
  async of(sessionId: string): Promise<Grants> {
    try {
      return grantsOf(await this.sessions.get(sessionId));
    } catch (error) {
      this.logger.warn('Could not look up what a session may do without a question', error);
      return noGrants;
    }
  }

  change(sessionId: string, { commands, sensitiveEdits, forgetCommands, files }: GrantChange): Promise<void> {
    return this.write(sessionId, {
      ...(commands !== undefined && { auto_approve_commands: commands ? 1 : 0 }),
      ...(sensitiveEdits !== undefined && { auto_approve_sensitive_edits: sensitiveEdits ? 1 : 0 }),
      ...(forgetCommands === true && { allowed_commands: '[]' }),
      ...(files !== undefined && { sensitive_file_patterns: storedPatterns(files) }),
    });
  }

  /**
   * Tells whether something may be done without a question: it was allowed in exactly this form, and no file that it runs holds a change
   * that the agent made since and nobody has answered. Throws `StorageError`.
   */
  async check(sessionId: string, { command, cwd, files }: Grantable): Promise<GrantCheck> {
    const granted = (await this.allowed(sessionId)).find((one) => one.command === command && one.cwd === cwd);
    if (granted === undefined) return { state: 'none', files: await this.bound.hashes(files) };
    const changed = files.length === 0 ? [] : await this.bound.changedSince(granted.files ?? {}, files);
    if (changed.length === 0) return { state: 'holds', files: granted.files ?? {} };
    const [shown, diffs] = [changed.map((one) => one.shown), changed.map((one) => one.diff)];
    return { state: 'changed', files: await this.bound.hashes(files), changed: { shown, diff: diffs.join('') } };
  }

  /** Lets exactly this command in exactly this folder, with these contents of files, run without a question in this session from now on. */
  allow(sessionId: string, { command, cwd, files }: AllowedCommand): Promise<void> {
    return this.changing.runExclusive(async () => {
      const others = (await this.allowed(sessionId)).filter((one) => one.command !== command || one.cwd !== cwd);
      const all = [...others, { command, cwd, ...(files && { files }) }].slice(-maxAllowed);
      await this.write(sessionId, { allowed_commands: JSON.stringify(all) });
    });
  }

  private async allowed(sessionId: string): Promise<AllowedCommand[]> {
    try {
      return allowedSchema.parse(parsedJson((await this.sessions.get(sessionId))?.allowed_commands ?? '[]'));
    } catch (error) {
      this.logger.warn('Could not look up what a session may do without a question', error);
      return [];
    }
  }

  private async write(sessionId: string, patch: Parameters<SessionStore['update']>[1]): Promise<void> {
    await this.sessions.update(sessionId, patch);
    this.changes.fire({ sessionId, grants: await this.of(sessionId) });
  }
}

const noGrants: Grants = { commands: false, sensitiveEdits: false, allowedCommands: [], files: [] };

function grantsOf(record: SessionRecord | undefined): Grants {
  if (record === undefined) return noGrants;
  return {
    commands: record.auto_approve_commands === 1,
    sensitiveEdits: record.auto_approve_sensitive_edits === 1,
    allowedCommands: allowedSchema.parse(parsedJson(record.allowed_commands)).map(({ command, cwd }) => ({ command, cwd })),
    files: Object.entries(sessionPatterns(record.sensitive_file_patterns)).map(([pattern, isFree]) => ({ pattern, isFree })),
  };
}

/** Formats patterns as a session stores them. */
export function storedPatterns(files: Grants['files']): string | null {
  return files.length === 0 ? null : JSON.stringify(Object.fromEntries(files.map(({ pattern, isFree }) => [pattern, isFree])));
}
