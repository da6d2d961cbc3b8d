import path from 'node:path';
import { CancelledError } from '../../../../utils/errors';
import { diffLines } from '../../../../utils/text/lineDiff';
import { decodeText, plainLineEnds } from '../../../../utils/text/textFile';
import { FileVersions, type HistoryParts, type LineOrigin, type Moment } from './fileHistory';
import { readBeginning } from '../../../../utils/files/fileSystem';
import type { ObjectStore } from '../objects/objectStore';
import { SnapshotError } from '../../snapshotError';
import { sha256Hex } from '../../../../utils/sha256';

/** Consecutive lines with the same origin. */
export interface BlamedLines {
  /** Index of the first line, from 0. */
  start: number;
  count: number;
  /** Origin of the lines; null if they are older than the checkpoints. */
  origin: LineOrigin | null;
}

export interface Blame {
  lines: BlamedLines[];
  /** False if the search stopped at a limit. A null origin can then mean that the origin was not found. */
  isComplete: boolean;
}

export interface BlameParts extends HistoryParts {
  objects: ObjectStore;
  isCancelled: () => boolean;
}

/** Content of the file during a period. */
interface Version {
  lines: string[];
  /** Hash of the content; null if the file did not exist. */
  hash: string | null;
  /** Earliest known moment with this content. */
  since: Moment | null;
}

/** Line of the requested file, with its index in the version being compared. */
interface Tracked {
  line: number;
  at: number;
}

const largestFile = 1024 * 1024;
/** Limits for one request: bytes to read, and moments to visit. */
const mostBytes = 64 * 1024 * 1024;
const mostMoments = 20_000;

/** Finds the origin of each line of a file. Goes back through the versions until every line has an origin. */
export class BlameReader {
  constructor(private readonly parts: BlameParts) {}

  /**
   * Returns the lines of a file in a checkpoint, or on disk if `checkpointId` is null. Returns null if the file does not exist, is not
   * text, or exceeds 1 MiB. Throws `SnapshotError` `notFound` or `notTaken`, and `CancelledError`.
   */
  blame(root: string, relative: string, checkpointId: string | null): Blame | null {
    const folder = path.resolve(root);
    const history = FileVersions.of(this.parts, folder, relative, checkpointId);
    const content =
      checkpointId === null ? this.onDisk(path.join(folder, relative)) : this.stored(history?.contentAt(checkpointId) ?? null);
    const lines = content && splitContent(content);
    if (history === null || content === null || lines === null) return null;
    const origins = new Array<LineOrigin | null>(lines.length).fill(null);
    const isComplete = this.walk(history, { lines, hash: sha256Hex(content), since: null }, origins);
    return { lines: groupRuns(origins), isComplete };
  }

  private walk(history: FileVersions, start: Version, origins: (LineOrigin | null)[]): boolean {
    let tracked: Tracked[] = origins.map((_, line) => ({ line, at: line }));
    let newer = start;
    let bytes = 0;
    let moments = 0;
    for (let moment = history.next(); moment !== null && tracked.length > 0; moment = history.next()) {
      if (this.parts.isCancelled()) throw new CancelledError();
      moments += 1;
      if (moment.hash === newer.hash) {
        newer.since = moment;
        continue;
      }
      if (moments > mostMoments || bytes > mostBytes) return false;
      const { since } = newer;
      // The origin of a restored line is its first appearance, not the restore.
      if (since?.isAfterRestore && history.skipToRestored(since)) {
        newer.since = null;
        continue;
      }
      const content = moment.hash === null ? Buffer.alloc(0) : this.stored(moment.hash);
      // This version is unreadable. Rely on the versions before and after it.
      if (content === null) continue;
      bytes += content.length;
      // If the older version is not text, all lines are new.
      const lines = splitContent(content) ?? [];
      const { left, came } = trackBack(tracked, lines, newer.lines);
      const origin = came.length === 0 ? null : history.origin(moment, since, newer.hash);
      for (const line of came) origins[line] = origin;
      tracked = left;
      newer = { lines, hash: moment.hash, since: moment };
    }
    return true;
  }

  /** Returns null if the content is missing or damaged. */
  private stored(hash: string | null): Buffer | null {
    if (hash === null) return null;
    try {
      return this.parts.objects.get(hash);
    } catch (error) {
      if (error instanceof SnapshotError) return null;
      throw error;
    }
  }

  private onDisk(file: string): Buffer | null {
    const { fileSystem } = this.parts;
    const stats = fileSystem.lstat(file);
    if (stats === undefined || !stats.isFile() || stats.size > largestFile) return null;
    return readBeginning(fileSystem, file, stats.size);
  }
}

/**
 * Splits tracked lines of `newer` into new lines and lines that `older` also has. Returns the latter with their index in `older`.
 */
function trackBack(tracked: readonly Tracked[], older: string[], newer: string[]): { left: Tracked[]; came: number[] } {
  const hunks = diffLines(older, newer);
  const left: Tracked[] = [];
  const came: number[] = [];
  let next = 0;
  let shift = 0;
  for (const { line, at } of tracked) {
    for (let hunk = hunks[next]; hunk !== undefined && hunk.afterEnd <= at; hunk = hunks[next]) {
      shift = hunk.beforeEnd - hunk.afterEnd;
      next += 1;
    }
    const hunk = hunks[next];
    if (hunk !== undefined && at >= hunk.afterStart) came.push(line);
    else left.push({ line, at: at + shift });
  }
  return { left, came };
}

/** Returns null if the content is too large or not text. A trailing line ending adds no empty line. */
function splitContent(content: Buffer): string[] | null {
  if (content.length > largestFile) return null;
  const text = decodeText(content)?.text;
  if (text === undefined) return null;
  const lines = plainLineEnds(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function groupRuns(origins: readonly (LineOrigin | null)[]): BlamedLines[] {
  const runs: BlamedLines[] = [];
  for (const [start, origin] of origins.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.origin === origin) last.count += 1;
    else runs.push({ start, count: 1, origin });
  }
  return runs;
}
