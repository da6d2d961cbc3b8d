import type { Stats } from 'node:fs';
import { lstat, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../../utils/logger';
import type { Connection } from '../sqlite/connection';
import type { Statements } from '../sqlite/sqlite';

/** Folder that was created for a file. It may be removed when it is empty. */
export interface MadeFolder {
  /** Absolute path. */
  path: string;
  /** Value that distinguishes the folder from a later folder with the same path. */
  mark: string;
}

/** Records folders that tools and undos created. No method rejects: if a folder cannot be recorded, it is just never removed. */
export class MadeFolders {
  constructor(
    private readonly connection: Connection,
    private readonly logger: Logger,
  ) {}

  /** Records folders that were just created. */
  async note(folders: readonly string[]): Promise<void> {
    try {
      const made = await Promise.all(folders.map(async (folder) => ({ path: folder, mark: folderMark(await lstat(folder)) })));
      if (made.length > 0) await this.connection.write(() => noteMade(this.connection, made));
    } catch (error) {
      this.logger.warn('A folder that was made is not known as such', error);
    }
  }

  /** Removes the empty parent folders of deleted files, if they are recorded. */
  async tidyAbove(files: readonly string[]): Promise<void> {
    try {
      const known = await this.connection.read(() => madeAbove(this.connection, files));
      const gone: string[] = [];
      for (const folder of known) if (await isTidied(folder)) gone.push(folder.path);
      if (gone.length > 0) await this.connection.write(() => forgetMade(this.connection, gone));
    } catch (error) {
      this.logger.warn('Empty folders were left', error);
    }
  }
}

export function folderMark({ ino, birthtimeMs }: Pick<Stats, 'ino' | 'birthtimeMs'>): string {
  return `${ino} ${birthtimeMs}`;
}

/** Returns the recorded parent folders of these files, inner folders first. */
export function madeAbove(statements: Statements, files: readonly string[]): MadeFolder[] {
  const above = new Set(files.flatMap(foldersAbove));
  return statements
    .statement('SELECT path, mark FROM made_folders WHERE path IN (SELECT value FROM json_each(?)) ORDER BY length(path) DESC')
    .all(JSON.stringify([...above]))
    .map((row) => ({ path: String(row['path']), mark: String(row['mark']) }));
}

/** Call this inside a write transaction. */
export function noteMade(statements: Statements, folders: readonly MadeFolder[]): void {
  const insert = 'INSERT INTO made_folders (path, mark) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET mark = excluded.mark';
  for (const { path: folder, mark } of folders) statements.statement(insert).run(folder, mark);
}

/** Call this inside a write transaction. */
export function forgetMade(statements: Statements, folders: readonly string[]): void {
  for (const folder of folders) statements.statement('DELETE FROM made_folders WHERE path = ?').run(folder);
}

function foldersAbove(file: string): string[] {
  const folders: string[] = [];
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) folders.push(folder);
  return folders;
}

/** Resolves with true if the folder does not exist, was replaced, or has just been removed. */
async function isTidied({ path: folder, mark }: MadeFolder): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  if (found?.isDirectory() !== true || folderMark(found) !== mark) return true;
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}
