import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConnectionRecord } from '../../protocol/requests/connectionRequests';
import { cutHead } from '../../types/cutText';

/** Facts that are known at the start of a connection. */
export type ConnectionFacts = Pick<ConnectionRecord, 'purpose' | 'direction' | 'detail' | 'host' | 'address'> &
  Partial<Pick<ConnectionRecord, 'sessionId' | 'isSandboxed'>>;

/** Returns the number of bytes that a connection has transferred so far. */
export type ByteCount = () => { sent: number; received: number };

export type FinalState = Exclude<ConnectionRecord['state'], 'open'>;

/** Ends the record of a connection. Further calls do nothing. */
export type EndRecord = (state: FinalState) => void;

interface Row {
  record: ConnectionRecord;
  /** Counts bytes while the connection is open. Null if the bytes are not observed. */
  count: ByteCount | null;
}

/** Maximum number of records in memory. */
const maxRecords = 5_000;
/** Maximum number of characters in a detail, such as a command. */
const maxDetail = 200;

/** Records the connections of this process. Keeps the newest `limit` records in memory. */
export class ConnectionLedger {
  private rows: Row[] = [];
  private last = 0;
  /** Number of records that were removed from memory. */
  dropped = 0;
  /** Receives each record when its connection ends. */
  onEnded: ((record: ConnectionRecord) => void) | null = null;
  private readonly prefix: string;
  private readonly sessions = new AsyncLocalStorage<string>();

  constructor(
    private readonly now: () => number,
    private readonly limit = maxRecords,
  ) {
    this.prefix = `${process.pid.toString(36)}-${now().toString(36)}`;
  }

  /** Runs work and assigns its connections to a session. */
  inSession<T>(sessionId: string, work: () => T): T {
    return this.sessions.run(sessionId, work);
  }

  /** Adds a connection, or a process if `count` is null. Returns the function that ends the record. */
  begin(facts: ConnectionFacts, count: ByteCount | null): EndRecord {
    const row: Row = { record: this.createRecord(facts, count === null ? null : 0, 'open'), count };
    this.add(row);
    return (state) => {
      if (row.record.state !== 'open') return;
      row.record = { ...current(row), state, ...(state === 'failed' && count !== null && { sent: 0, received: 0 }) };
      row.count = null;
      this.onEnded?.(row.record);
    };
  }

  /** Adds a refused connection. */
  refuse(facts: ConnectionFacts): void {
    const record = this.createRecord(facts, 0, 'refused');
    this.add({ record, count: null });
    this.onEnded?.(record);
  }

  /** Returns all records in memory, newest first. */
  list(): ConnectionRecord[] {
    return this.rows.map(current).reverse();
  }

  private createRecord(facts: ConnectionFacts, bytes: 0 | null, state: ConnectionRecord['state']): ConnectionRecord {
    this.last += 1;
    const detail = facts.detail.length > maxDetail ? `${cutHead(facts.detail, maxDetail)}…` : facts.detail;
    const { sessionId = this.sessions.getStore() ?? null } = facts;
    return {
      ...facts,
      id: `${this.prefix}-${this.last}`,
      at: this.now(),
      detail,
      sessionId,
      state,
      sent: bytes,
      received: bytes,
    };
  }

  private add(row: Row): void {
    this.rows.push(row);
    if (this.rows.length <= this.limit) return;
    // Remove records in blocks, so that a full list does not move all entries for each new connection.
    const removed = Math.ceil(this.limit / 10);
    this.rows = this.rows.slice(removed);
    this.dropped += removed;
  }
}

function current({ record, count }: Row): ConnectionRecord {
  return count === null ? record : { ...record, ...count() };
}
