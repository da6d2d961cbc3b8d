import { z } from 'zod';
import { maxHosts, type Grants } from '../../protocol/requests/grants';
import type { SessionRecord } from '../../types/session';
import { AsyncMutex } from '../../utils/asyncMutex';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import { sessionPatterns } from './fileAccess';
import type { SessionStore } from '../kernel/ports';
import type { BoundFiles, FileHashes } from './boundFiles';
import { parsedJson } from '../../utils/json';

export interface NewGrants extends Pick<Grants, 'commands' | 'sensitiveEdits'> {
  sandbox?: boolean | undefined;
  files?: Grants['files'] | undefined;
}

export interface GrantChange {
  commands?: boolean | undefined;
  /** False removes the allowed hosts too. */
  sandbox?: boolean | undefined;
  /** Hosts that remain allowed if commands run in the sandbox. */
  hosts?: readonly string[] | undefined;
  sensitiveEdits?: boolean | undefined;
  /** True to remove all allowed commands. */
  forgetCommands?: boolean | undefined;
  files?: Grants['files'] | undefined;
}

/** Command or tool that the user may allow for the session, and the files that it runs. */
export interface Grantable {
  command: string;
  cwd: string;
  /** Absolute real paths of the files. */
  files: readonly string[];
}

/** Permission in its stored form. Older versions stored no `files`. */
export interface AllowedCommand {
  command: string;
  cwd: string;
  files?: FileHashes | undefined;
}

export interface GrantCheck {
  /** `changed` means that the user allowed it, but the agent has since changed files that it runs. */
  state: 'none' | 'holds' | 'changed';
  /** File contents that an approval covers. */
  files: FileHashes;
  /** Names and diff of the changed files. Present only in the state `changed`. */
  changed?: { shown: readonly string[]; diff: string };
}

/** Maximum number of allowed commands. The user can still review a list of this length. */
const maxAllowed = 50;
const allowedSchema = z
  .array(z.object({ command: z.string(), cwd: z.string(), files: z.record(z.string(), z.string()).optional().catch(undefined) }))
  .catch([]);

const sandboxSchema = z.object({ hosts: z.array(z.string()).catch([]) }).catch({ hosts: [] });

/** Permissions of a session. Only the user's storage contains them, so no repository, model or import can add one. */
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

  /** Returns the permissions of a session. Returns no permissions if they cannot be read. */
  async of(sessionId: string): Promise<Grants> {
    try {
      return readGrants(await this.sessions.get(sessionId));
    } catch (error) {
      this.logger.warn('Could not look up what a session may do without a question', error);
      return noGrants;
    }
  }

  change(sessionId: string, change: GrantChange): Promise<void> {
    return this.changing.runExclusive(async () => this.write(sessionId, await this.createPatch(sessionId, change)));
  }

  private async createPatch(sessionId: string, change: GrantChange): Promise<SessionPatch> {
    const { commands, sandbox, hosts, sensitiveEdits, forgetCommands, files } = change;
    const now = await this.of(sessionId);
    const isSandboxed = sandbox ?? now.sandbox;
    return {
      ...((sandbox !== undefined || hosts !== undefined) && { sandbox: isSandboxed ? storedSandbox(hosts ?? now.hosts) : null }),
      ...(commands !== undefined && { auto_approve_commands: commands ? 1 : 0 }),
      ...(sensitiveEdits !== undefined && { auto_approve_sensitive_edits: sensitiveEdits ? 1 : 0 }),
      ...(forgetCommands === true && { allowed_commands: '[]' }),
      ...(files !== undefined && { sensitive_file_patterns: storedPatterns(files) }),
    };
  }

  /**
   * Checks whether a command or tool may run without a question. The user must have allowed exactly this command or
   * tool. The files that it runs must have no pending changes that the agent made later. Throws `StorageError`.
   */
  async check(sessionId: string, { command, cwd, files }: Grantable): Promise<GrantCheck> {
    const granted = (await this.allowed(sessionId)).find((one) => one.command === command && one.cwd === cwd);
    if (granted === undefined) return { state: 'none', files: await this.bound.hashes(files) };
    const changed = files.length === 0 ? [] : await this.bound.changedSince(granted.files ?? {}, files);
    if (changed.length === 0) return { state: 'holds', files: granted.files ?? {} };
    const shown = changed.map((one) => one.shown);
    const diffs = changed.map((one) => one.diff);
    return { state: 'changed', files: await this.bound.hashes(files), changed: { shown, diff: diffs.join('') } };
  }

  /** Allows exactly this command in this folder with these file contents until the session ends. */
  allow(sessionId: string, { command, cwd, files }: AllowedCommand): Promise<void> {
    return this.changing.runExclusive(async () => {
      const others = (await this.allowed(sessionId)).filter((one) => one.command !== command || one.cwd !== cwd);
      const all = [...others, { command, cwd, ...(files && { files }) }].slice(-maxAllowed);
      await this.write(sessionId, { allowed_commands: JSON.stringify(all) });
    });
  }

  /** Allows sandboxed commands to reach a host until the session ends. Has no effect if commands do not run in the sandbox. */
  allowHost(sessionId: string, host: string): Promise<void> {
    return this.changing.runExclusive(async () => {
      const { sandbox, hosts } = await this.of(sessionId);
      if (sandbox && !hosts.includes(host)) await this.write(sessionId, { sandbox: storedSandbox([...hosts, host]) });
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

  private async write(sessionId: string, patch: SessionPatch): Promise<void> {
    await this.sessions.update(sessionId, patch);
    this.changes.fire({ sessionId, grants: await this.of(sessionId) });
  }
}

type SessionPatch = Parameters<SessionStore['update']>[1];

export const noGrants: Grants = {
  commands: false,
  sandbox: false,
  hosts: [],
  sensitiveEdits: false,
  allowedCommands: [],
  files: [],
};

function readGrants(record: SessionRecord | undefined): Grants {
  if (record === undefined) return noGrants;
  return {
    commands: record.auto_approve_commands === 1,
    sandbox: record.sandbox !== null,
    hosts: record.sandbox === null ? [] : sandboxSchema.parse(parsedJson(record.sandbox)).hosts,
    sensitiveEdits: record.auto_approve_sensitive_edits === 1,
    allowedCommands: allowedSchema.parse(parsedJson(record.allowed_commands)).map(({ command, cwd }) => ({ command, cwd })),
    files: Object.entries(sessionPatterns(record.sensitive_file_patterns)).map(([pattern, isFree]) => ({ pattern, isFree })),
  };
}

/** Returns the stored form of the permission to run commands in the sandbox. */
export function storedSandbox(hosts: readonly string[]): string {
  return JSON.stringify({ hosts: hosts.slice(-maxHosts) });
}

export function storedPatterns(files: Grants['files']): string | null {
  return files.length === 0 ? null : JSON.stringify(Object.fromEntries(files.map(({ pattern, isFree }) => [pattern, isFree])));
}
