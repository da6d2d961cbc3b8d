import { decodeText, plainLineEnds } from '../../../../utils/text/textFile';
import { unifiedDiff } from '../../../../utils/text/unifiedDiff';
import { SnapshotError } from '../../snapshotError';
import type { FileState } from '../scan/scannedFile';

export interface ChangeDetails {
  /** Numbers of changed lines; null if the lines were not compared. */
  lines: { additions: number; deletions: number } | null;
  isBinary: boolean;
  isTooLarge: boolean;
  /** Diff of a modified text file. Set only on request. */
  diff: string | null;
  /** Text of the file before the change. Set only on request. */
  baseContent: string | null;
}

export interface DetailedChange {
  path: string;
  before: FileState | null;
  after: FileState | null;
}

/** Size limit in bytes. Larger files are listed, but not read. */
const largestRead = 1024 * 1024;
/** Maximum number of changes to read. Further changes are listed, but not read. */
const mostRead = 500;
const mostRemembered = 5_000;

/** Reads both sides of changes and compares their lines. Caches the results. */
export class ChangeReader {
  private readonly known = new Map<string, ChangeDetails>();

  constructor(private readonly content: (hash: string) => Uint8Array) {}

  /** Compares up to `mostRead` changes, starting at index `from`. Other changes get no lines. */
  describeChanges(changes: readonly DetailedChange[], hasTexts: boolean, from = 0): ChangeDetails[] {
    const isRead = (index: number) => index >= from && index < from + mostRead;
    return changes.map((change, index) => (isRead(index) ? this.one(change, hasTexts) : unread(change)));
  }

  private one(change: DetailedChange, hasTexts: boolean): ChangeDetails {
    // Without a hash the content is unknown, so the result cannot be cached either.
    if (isUnreadable(change.before) || isUnreadable(change.after)) return unread(change);
    const key = `${hasTexts ? change.path : ''}:${change.before?.hash ?? ''}:${change.after?.hash ?? ''}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const details = this.compared(change, hasTexts);
    if (this.known.size >= mostRemembered) this.known.clear();
    // Do not cache texts: they are large and requested only once.
    if (!hasTexts) this.known.set(key, details);
    return details;
  }

  private compared(change: DetailedChange, hasTexts: boolean): ChangeDetails {
    const { path, before, after } = change;
    if (isLarge(before) || isLarge(after)) return unread(change);
    const old = this.readStateText(before);
    const now = this.readStateText(after);
    if (old === undefined || now === undefined) return { ...unread(change), isTooLarge: true };
    if (old === null || now === null) return { ...unread(change), isBinary: true };
    const names = { before: before === null ? null : path, after: after === null ? null : path };
    const { diff, additions, deletions } = unifiedDiff(names, plainLineEnds(old), plainLineEnds(now));
    const texts = { diff: before !== null && after !== null ? diff : null, baseContent: before === null ? null : old };
    return {
      lines: { additions, deletions },
      isBinary: false,
      isTooLarge: false,
      ...(hasTexts ? texts : { diff: null, baseContent: null }),
    };
  }

  /** Returns the text of a state. Returns null if it is not text, and undefined if it is not stored. */
  private readStateText(state: FileState | null): string | null | undefined {
    if (state === null) return '';
    if (state.hash === null) return undefined;
    try {
      return decodeText(Buffer.from(this.content(state.hash)))?.text ?? null;
    } catch (error) {
      if (error instanceof SnapshotError) return undefined;
      throw error;
    }
  }
}

function isUnreadable(state: FileState | null): boolean {
  return state !== null && state.hash === null;
}

function isLarge(state: FileState | null): boolean {
  return state !== null && state.size > largestRead;
}

function unread({ before, after }: DetailedChange): ChangeDetails {
  const isTooLarge = isLarge(before) || isLarge(after);
  return { lines: null, isBinary: false, isTooLarge, diff: null, baseContent: null };
}
