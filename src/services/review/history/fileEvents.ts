import type { SnapshotState } from '../../database/log/answers';
import type { RestoredFile } from '../../database/sessions/restoredFiles';
import type { FileSnapshot, OtherSnapshot } from '../../database/sessions/snapshotRows';

/** Known event in the history of a file. */
export type FileEvent = FoundEvent | WrittenEvent | AnswerEvent | WithdrawnEvent;

/** State after changes by others. Earlier events are unknown. */
interface FoundEvent {
  kind: 'found';
  state: SnapshotState | null;
}

/** Change by a chat. `state` is undefined if the result is unknown. */
export interface WrittenEvent {
  kind: 'written';
  author: string;
  turn: number;
  state: SnapshotState | null | undefined;
}

/**
 * Decision about some changes of a chat. `undone`: removed from the file. `kept`: added to the base (the file without changes).
 */
export interface AnswerEvent {
  kind: 'undone' | 'kept';
  author: string;
  from: SnapshotState | null;
  to: SnapshotState | null;
}

/** Undo of all changes of a chat. */
interface WithdrawnEvent {
  kind: 'withdrawn';
  author: string;
}

/**
 * Returns the events of a file in order, without those that restores have reverted.
 *
 * @param snapshots Snapshots of the chat `author`, one list for each name of the file. Former names come first.
 * @param ofOthers Snapshots of other chats, under any of these names.
 * @param restored Restores of the file under its last name.
 */
export function collectEvents(
  author: string,
  snapshots: readonly (readonly FileSnapshot[])[],
  ofOthers: readonly OtherSnapshot[] = [],
  restored: readonly RestoredFile[] = [],
): FileEvent[] {
  const own = snapshots.flatMap((rows, name) =>
    rows.map((row, index) => ({
      row,
      author,
      answeredAt: null as number | null,
      // Between two names, the file was renamed without other changes.
      isFound: index > 0 || name === 0,
      isWritten: index < rows.length - 1 || name === snapshots.length - 1,
    })),
  );
  const first = own[0]?.row;
  const isNear = ({ id, status, answeredAt }: OtherSnapshot) =>
    first !== undefined && (id > first.id || status === 'pending' || (answeredAt ?? 0) >= first.createdAt);
  const foreign = ofOthers.filter(isNear).map((row) => {
    return {
      row,
      author: row.sessionId,
      answeredAt: row.status === 'undone' ? row.answeredAt : null,
      isFound: true,
      isWritten: true,
    };
  });
  const chats = [...new Set(foreign.map(({ author: by }) => by))].map((chat) => foreign.filter(({ author: by }) => by === chat));
  const since = snapshots.at(-1)?.[0]?.createdAt ?? Infinity;
  const restores = restored.filter(({ restoredAt }) => restoredAt >= since);
  // A snapshot with the same time as a restore was taken after the restore.
  const ofRestores = restores.map((restore) => ({ at: restore.restoredAt, order: -1, restore }));
  const timed: TimedEvent[] = [...[own, ...chats].flatMap(inOrder), ...ofRestores];
  // Sorting is stable, so the events of one chat stay in order.
  return withoutReverted(timed.sort((one, other) => one.at - other.at || compare(one.order, other.order)));
}

/**
 * Drops the events that restores have reverted. After a restore, only the restored state and the events before the restored
 * checkpoint count.
 */
function withoutReverted(timed: readonly TimedEvent[]): FileEvent[] {
  let events: FileEvent[] = [];
  /** Events that counted before each event. */
  const counted: FileEvent[][] = [];
  for (const [index, one] of timed.entries()) {
    counted.push(events);
    if ('event' in one) events = [...events, one.event];
    else {
      const known = timed.slice(0, index).filter(({ at }) => at < one.restore.targetTime).length;
      events = [...(counted[known] ?? []), { kind: 'found', state: one.restore.state }];
    }
  }
  return events;
}

interface ChatRow {
  row: FileSnapshot;
  author: string;
  /** Time when all rows of the chat were undone; null if they were not. */
  answeredAt: number | null;
  isFound: boolean;
  isWritten: boolean;
}

/** Event or restore with its time. Events of the same time are sorted by `order`. */
type TimedEvent = { at: number; order: number } & ({ event: FileEvent } | { restore: RestoredFile });

/** Returns the events of a chat. The time of an event is never before the time of the previous event. */
function inOrder(rows: readonly ChatRow[]): TimedEvent[] {
  const events: TimedEvent[] = [];
  let at = 0;
  let order = 0;
  const add = (time: number, event: FileEvent) => events.push({ at: (at = Math.max(at, time)), order, event });
  for (const { row, author, isFound, isWritten } of rows) {
    order = row.id;
    if (isFound) add(row.createdAt, { kind: 'found', state: row.before });
    if (isWritten) add(row.createdAt, { kind: 'written', author, turn: row.turn, state: row.left });
    for (const { action, from, to, createdAt } of row.answers)
      add(createdAt, { kind: action === 'keep' ? 'kept' : 'undone', author, from, to });
  }
  const undoneAt = rows.at(-1)?.answeredAt;
  order = Infinity;
  if (undoneAt != null) add(undoneAt, { kind: 'withdrawn', author: rows[0]?.author ?? '' });
  return events;
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
