import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../utils/errors';
import { checkpointId } from '../database/sessions/checkpointName';
import { countOf, safeId, textOrNull, timeOf } from './importedValues';
import type { ReportBuilder } from './importReport';
import { isRecord } from '../../utils/json';

/** A restore point of code sessions: the files that the session had edited, as they were at a moment. */
export interface RestorePoint {
  id: string;
  title: string;
  time: number | null;
  files: { path: string; hash: string; mode: number; size: number }[];
}

interface ListedPoint {
  time: number | null;
  /** The entry that it belongs to. */
  entryId: string | null;
  /** File that describes it. */
  file: string;
  /** Its files are read again when they are needed. */
  read: () => RestorePoint | null;
}

const maxManifestBytes = 64 * 1024 * 1024;

/** Holds the restore points that were found, by session, and the folders with contents by their SHA-256. */
export class RestorePoints {
  private readonly points = new Map<string, Map<string, ListedPoint>>();
  private readonly claimed = new Set<string>();

  constructor(
    private readonly report: ReportBuilder,
    private readonly objectFolders: string[] = [],
  ) {}

  /** Others, whose contents lie in the same folders. */
  others(): RestorePoints {
    return new RestorePoints(this.report, this.objectFolders);
  }

  /** Adds a folder with contents, `ab/abcd…`. */
  addObjects(folder: string): void {
    this.objectFolders.push(folder);
  }

  /** Adds a folder with one JSON file for each restore point. */
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

  add(sessionId: string, { id, ...point }: ListedPoint & { id: string }): void {
    const known = this.points.get(sessionId) ?? new Map<string, ListedPoint>();
    known.set(id, point);
    this.points.set(sessionId, known);
  }

  /** Returns the checkpoint of an entry: of the restore point that it names, or that names it. Null if there is none. */
  checkpointOf(sessionId: string, entryId: string, named: string | null): string | null {
    const points = this.points.get(sessionId) ?? new Map<string, ListedPoint>();
    const id = named ?? [...points].find(([, point]) => point.entryId === entryId)?.[0] ?? '';
    const point = points.get(id);
    return point === undefined ? null : checkpointIdOf(safeId(sessionId), id, point.time ?? 0);
  }

  /** Lists the files that describe restore points of sessions that were not read. */
  unclaimed(): string[] {
    return [...this.points].flatMap(([id, points]) => (this.claimed.has(id) ? [] : [...points.values()].map(({ file }) => file)));
  }

  /** Tells whether a session that is being read has restore points, and counts it as read. */
  hasAny(sessionId: string): boolean {
    this.claimed.add(sessionId);
    return this.points.has(sessionId);
  }

  /** Reads the restore points of a session, by ascending time. */
  of(sessionId: string): RestorePoint[] {
    const points = [...(this.points.get(sessionId)?.values() ?? [])].map(({ read }) => read());
    return points.filter((point) => point !== null).sort((one, other) => (one.time ?? 0) - (other.time ?? 0));
  }

  /** Returns the content of an object, compared with its name; null if none of the folders has it. */
  content(hash: string, size: number): Buffer | null {
    for (const folder of this.objectFolders) {
      const file = path.join(folder, hash.slice(0, 2), hash);
      if (statSync(file, { throwIfNoEntry: false })?.size !== size) continue;
      const content = readFileSync(file);
      if (createHash('sha256').update(content).digest('hex') === hash) return content;
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
      const files = listed.map(fileOf);
      const id = textOrNull(value.id) ?? path.basename(file, '.json');
      const entryId = textOrNull(value.transcriptEntryId);
      return {
        sessionId,
        entryId,
        point: { id, title: textOrNull(value.description) ?? '', time: timeOf(value.timestamp), files },
      };
    } catch (error) {
      this.report.addIssue(file, null, 'unreadable', messageOf(error));
      return null;
    }
  }
}

/** Makes the id of a checkpoint: the same whenever it is imported, and ordered by its time, as those of all checkpoints. */
export function checkpointIdOf(sessionId: string, id: string, time: number): string {
  const mark = createHash('sha256').update(`${sessionId}\0${id}`).digest('hex').slice(0, 12);
  return checkpointId(time, mark);
}

/** Reads the entry of a file. A missing path or hash is reported only when the file is looked for. */
function fileOf(value: unknown): RestorePoint['files'][number] {
  const file = isRecord(value) ? value : {};
  const { path: name, hash } = file;
  return {
    path: typeof name === 'string' ? name : '',
    hash: typeof hash === 'string' ? hash : '',
    mode: countOf(file.mode) ?? 0o644,
    size: countOf(file.size) ?? 0,
  };
}
