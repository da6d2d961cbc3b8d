import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { SessionRecord } from '../../types/session';
import { isInside } from '../../utils/files/isInside';

/** Folders that a client may name. Compares real paths. */
export class AllowedFolders {
  /** `folders`: real paths; empty if the client chooses. */
  constructor(private readonly folders: readonly string[]) {}

  /** Returns the first folder of the command line; null without one. */
  get first(): string | null {
    return this.folders[0] ?? null;
  }

  /** Returns the real path of a folder within the allowed folders. Throws an invalid-parameters error. */
  resolve(cwd: string): string {
    const real = realFolder(absolute(cwd));
    if (real === null) throw RequestError.invalidParams(undefined, `${cwd} is not a folder`);
    if (!this.includes(real))
      throw RequestError.invalidParams(undefined, `${cwd} is outside the folders that this agent was started with`);
    return real;
  }

  /** Returns the real path of a folder if it exists, otherwise the path. Throws an invalid-parameters error for a relative path. */
  named(cwd: string): string {
    return realFolder(absolute(cwd)) ?? cwd;
  }

  /** Tells whether the chats of a folder may be listed and opened. */
  includes(folder: string): boolean {
    return this.folders.length === 0 || this.folders.some((one) => folder === one || isInside(folder, one));
  }

  /** Throws an invalid-parameters error if a chat does not belong to a folder. Its folder may have been moved since. */
  assertHolds(folder: string, { project_path: project }: Pick<SessionRecord, 'project_path'>): void {
    const home = project === null ? null : realFolder(project);
    if (home === folder || (home === null && this.folders.length === 0)) return;
    throw RequestError.invalidParams(undefined, `This session belongs to another folder${home === null ? '' : `: ${home}`}`);
  }
}

function absolute(cwd: string): string {
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `${cwd} is not an absolute path`);
  return cwd;
}

function realFolder(folder: string): string | null {
  try {
    const real = realpathSync.native(folder);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    // Missing or unreadable.
    return null;
  }
}
