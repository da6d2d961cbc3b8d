import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../utils/errors';
import { checkpointId } from '../database/sessions/checkpointName';
import { readCount, safeId, textOrNull, readTime } from './importedValues';
import type { ReportBuilder } from './importReport';
import { isRecord } from '../../utils/json';
import { sha256Hex } from '../../utils/sha256';

/** Restore point of a code session. It contains the files edited until a point in time. */
export interface RestorePoint {
  id: string;
  title: string;
  time: number | null;
  files: { path: string; hash: string; mode: number; size: number }[];
}

interface ListedPoint {
  time: number | null;
  /** Id of the entry to which the restore point belongs. */
  entryId: string | null;
  file: string;
  /** Reads the files of the restore point on demand. */
  read: () => RestorePoint | null;
}

const maxManifestBytes = 64 * 1024 * 1024;

/** Restore points by session, and folders that contain file contents by SHA-256. */
export class RestorePoints {
  private readonly points = new Map<string, Map<string, ListedPoint>>();
  private readonly claimed = new Set<string>();

  constructor(
    private readonly report: ReportBuilder,
    private readonly objectFolders: string[] = [],
  ) {}

  /** Returns a set without restore points that uses the same content folders. */
  withSameObjects(): RestorePoints {
    return new RestorePoints(this.report, this.objectFolders);
  }

  /** Adds a folder that contains contents in files such as `ab/abcd…`. */
  addObjects(folder: string): void {
    this.objectFolders.push(folder);
  }

  /** Adds a folder that contains one JSON file per restore point. */
  addManifests(manifests: string): void {
    for (const name of readdirSync(manifests).sort()) {
      const file = path.join(manifests, name);
      if (!name.endsWith('.json')) continue;
      const read = (): RestorePoint | null => this.readFile(file)?.point ?? null;
      const found = this.readFile(file);
      if (found !== null)
        this.add(found.sessionId, { id: found.point.id, time: found.point.time, entryId: found.entryId, file, read });
    }
  }

  /** Adds a restore point. If the ID is already in use, reports this and adds the restore point with another ID. */
  add(sessionId: string, { id, ...point }: ListedPoint & { id: string }): void {
    const known = this.points.get(sessionId) ?? new Map<string, ListedPoint>();
    if (known.has(id)) this.report.addIssue(point.file, null, 'repeated', id);
    let free = id;
    for (let number = 2; known.has(free); number += 1) free = `${id}#${number}`;
    known.set(free, point);
    this.points.set(sessionId, known);
  }

  /** Returns the checkpoint of an entry, or null. Either the entry refers to the checkpoint, or the checkpoint refers to the entry. */
  findCheckpoint(sessionId: string, entryId: string, named: string | null): string | null {
    const points = this.points.get(sessionId) ?? new Map<string, ListedPoint>();
    const id = named ?? [...points].find(([, point]) => point.entryId === entryId)?.[0] ?? '';
    const point = points.get(id);
    return point === undefined ? null : createCheckpointId(safeId(sessionId), id, point.time ?? 0);
  }

  /** Lists the files of restore points whose sessions were not read. */
  unclaimed(): string[] {
    return [...this.points].flatMap(([id, points]) => (this.claimed.has(id) ? [] : [...points.values()].map(({ file }) => file)));
  }

  /** Returns true if a session has restore points. Marks the session as read. */
  hasAny(sessionId: string): boolean {
    this.claimed.add(sessionId);
    return this.points.has(sessionId);
  }

  /** Reads the restore points of a session in ascending order of time. */
  of(sessionId: string): RestorePoint[] {
    const points = [...(this.points.get(sessionId) ?? [])].map(([id, { read }]) => {
      const point = read();
      return point && { ...point, id };
    });
    return points.filter((point) => point !== null).sort((one, other) => (one.time ?? 0) - (other.time ?? 0));
  }

  /** Returns the content of an object after checking its hash. Returns null if no folder contains it. */
  content(hash: string, size: number): Buffer | null {
    for (const folder of this.objectFolders) {
      const file = path.join(folder, hash.slice(0, 2), hash);
      if (statSync(file, { throwIfNoEntry: false })?.size !== size) continue;
      const content = readFileSync(file);
      if (sha256Hex(content) === hash) return content;
    }
    return null;
  }

  private readFile(file: string): { sessionId: string; entryId: string | null; point: RestorePoint } | null {
    try {
      if (statSync(file).size > maxManifestBytes) throw new Error('more than 64 MB');
      const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const sessionId = isRecord(value) ? textOrNull(value.sessionId) : null;
      if (!isRecord(value) || sessionId === null) throw new Error('no restore point');
      const listed: unknown[] = Array.isArray(value.files) ? value.files : [];
      const files = listed.map(readFileEntry);
      const id = textOrNull(value.id) ?? path.basename(file, '.json');
      const entryId = textOrNull(value.transcriptEntryId);
      return {
        sessionId,
        entryId,
        point: { id, title: textOrNull(value.description) ?? '', time: readTime(value.timestamp), files },
      };
    } catch (error) {
      this.report.addIssue(file, null, 'unreadable', messageOf(error));
      return null;
    }
  }
}

/** Creates a checkpoint id that is the same on every import. Like all checkpoint ids, it sorts by time. */
export function createCheckpointId(sessionId: string, id: string, time: number): string {
  const mark = sha256Hex(`${sessionId}\0${id}`).slice(0, 12);
  return checkpointId(time, mark);
}

/** Reads a file entry. A missing path or hash is not reported until the file is imported. */
function readFileEntry(value: unknown): RestorePoint['files'][number] {
  const file = isRecord(value) ? value : {};
  const { path: name, hash } = file;
  return {
    path: typeof name === 'string' ? name : '',
    hash: typeof hash === 'string' ? hash : '',
    mode: readCount(file.mode) ?? 0o644,
    size: readCount(file.size) ?? 0,
  };
}
