import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PendingChanges } from '../../services/review/pendingChanges';
import type { PendingFilePath } from '../../services/database/sessions/pendingFiles';
import type { SnapshotObjects } from '../../types/checkpoint';
import { isInside } from '../../utils/files/isInside';
import type { Logger } from '../../utils/logger';
import { decodeText } from '../../utils/text/textFile';
import { unifiedDiff } from '../../utils/text/unifiedDiff';
import { sha256Hex } from '../../utils/sha256';

/** SHA-256 of file contents, keyed by absolute real path. */
export type FileHashes = Readonly<Record<string, string>>;

/** File that the agent has changed since the user gave a permission. */
export interface ChangedSince {
  /** Path shown to the user. */
  shown: string;
  /** Unified diff. Empty if the file is not text. */
  diff: string;
}

export interface BoundFilesSources {
  objects: SnapshotObjects;
  changes: Pick<PendingChanges, 'compared'>;
  /** Lists the files with pending changes of all sessions. */
  pendingFiles(): Promise<readonly PendingFilePath[]>;
  /** Returns the real paths of the workspace folders. */
  roots(): Promise<readonly string[]>;
  logger: Logger;
}

/** Maximum size of a hashed file. A permission never covers changes to larger files. */
const maxBytes = 8 * 1024 * 1024;

/** Ties a permission to the contents of the workspace files that the permitted command runs. */
export class BoundFiles {
  constructor(private readonly sources: BoundFilesSources) {}

  /** Returns the hash of each file in the workspace. Also stores the file contents for a later diff. */
  async hashes(files: readonly string[]): Promise<FileHashes> {
    const roots = await this.sources.roots();
    const hashes: Record<string, string> = {};
    for (const file of files) {
      if (!roots.some((root) => isInside(file, root))) continue;
      const bytes = await readContent(file);
      if (bytes === null) continue;
      hashes[file] = sha256Hex(bytes);
      await this.keep(bytes);
    }
    return hashes;
  }

  /**
   * Returns the files that differ from `bound` because of pending changes that the agent made later, in the
   * order of `files`. Versions that the user wrote or approved are not included. Throws `StorageError`.
   */
  async changedSince(bound: FileHashes, files: readonly string[]): Promise<ChangedSince[]> {
    const wanted = new Set(files);
    const waiting = (await this.sources.pendingFiles()).filter((one) => wanted.has(one.path));
    const changed = new Map<string, ChangedSince>();
    for (const { sessionId, path: file } of waiting) {
      const bytes = await readContent(file);
      const before = bound[file];
      if (changed.has(file) || (bytes !== null && before === sha256Hex(bytes))) continue;
      const [pending] = await this.sources.changes.compared(sessionId, new Set([file]));
      if (pending === undefined) continue;
      // The agent's last version is the approved content, so the user made the difference.
      const left = pending.rows.findLast((row) => row.path === file)?.left;
      if (before !== undefined && left?.hash === before) continue;
      const former = before ?? pending.rows.find((row) => row.path === file)?.before?.hash;
      changed.set(file, { shown: pending.shown, diff: await this.diff(pending.shown, former, bytes) });
    }
    return files.flatMap((file) => changed.get(file) ?? []);
  }

  private async diff(shown: string, former: string | undefined, bytes: Buffer | null): Promise<string> {
    const before = await this.readStoredText(former);
    const after = bytes === null ? '' : decodeText(bytes)?.text;
    return before === undefined || after === undefined ? '' : unifiedDiff({ before: shown, after: shown }, before, after).diff;
  }

  /** Returns the stored text. Returns an empty text if the object no longer exists, so that the diff shows the whole file. */
  private async readStoredText(hash: string | undefined): Promise<string | undefined> {
    if (hash === undefined) return '';
    try {
      return decodeText(Buffer.from(await this.sources.objects.get(hash)))?.text;
    } catch (error) {
      this.sources.logger.warn('The former text of a file that a permission covers is not stored any more', error);
      return '';
    }
  }

  private async keep(bytes: Buffer): Promise<void> {
    try {
      await this.sources.objects.put([bytes]);
    } catch (error) {
      // The permission needs only the hash. Without the stored text, a later diff shows the whole file.
      this.sources.logger.warn('The text of a file that a permission covers could not be stored', error);
    }
  }
}

async function readContent(file: string): Promise<Buffer | null> {
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= maxBytes ? await readFile(path.resolve(file)) : null;
  } catch {
    // A permission does not cover a missing or unreadable file.
    return null;
  }
}
