import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { SessionRecord } from '../../types/session';
import { isInside } from '../../utils/files/isInside';

/** Folders that a client is allowed to use. Compares real paths. */
export class AllowedFolders {
  /** Creates the list. `folders` are real paths. If it is empty, the client chooses the folders. */
  constructor(private readonly folders: readonly string[]) {}

  /** Returns the first folder on the command line, or null if there is none. */
  get first(): string | null {
    return this.folders[0] ?? null;
  }

  /** Returns the real path of a folder inside the allowed folders. Throws an invalid-parameters error for other folders. */
  resolve(cwd: string): string {
    const real = realFolder(absolute(cwd));
    if (real === null) throw RequestError.invalidParams(undefined, `${cwd} is not a folder`);
    if (!this.includes(real))
      throw RequestError.invalidParams(undefined, `${cwd} is outside the folders that this agent was started with`);
    return real;
  }

  /**
   * Returns the real path of a folder, or the given path if the folder does not exist. Throws an
   * invalid-parameters error for a relative path.
   */
  named(cwd: string): string {
    return realFolder(absolute(cwd)) ?? cwd;
  }

  /** Returns true if the client may list and open the chats of a folder. */
  includes(folder: string): boolean {
    return this.folders.length === 0 || this.folders.some((one) => folder === one || isInside(folder, one));
  }

  /** Throws an invalid-parameters error if a chat does not belong to a folder. The folder of the chat may have been moved. */
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
    // The folder is missing or cannot be read.
    return null;
  }
}
