import type { Entry } from '../../protocol/entries';
import type { SessionLog } from '../../services/database/log/sessionLog';

/** Reads the whole log of a session. Caches the latest session, so that only new entries are read. Runs one read at a time. */
export class WholeLog {
  private known: { sessionId: string; revision: number; entries: readonly Entry[] } | null = null;

  constructor(private readonly log: Pick<SessionLog, 'read'>) {}

  /** Resolves with the entries in order of `seq`. Throws `StorageError`. */
  async of(sessionId: string): Promise<readonly Entry[]> {
    const known = this.known?.sessionId === sessionId ? this.known : null;
    this.known = null;
    const changed = await this.log.read(sessionId, known?.revision ?? 0);
    if (known !== null && changed.revision < known.revision) return this.of(sessionId);
    const entries = merged(known?.entries ?? [], changed.entries);
    this.known = { sessionId, revision: changed.revision, entries };
    return entries;
  }
}

function merged(known: readonly Entry[], changed: readonly Entry[]): readonly Entry[] {
  if (known.length === 0 || changed.length === 0) return known.length === 0 ? changed : known;
  const bySeq = new Map(changed.map((entry) => [entry.seq, entry]));
  const last = known.at(-1)?.seq ?? 0;
  return [...known.map((entry) => bySeq.get(entry.seq) ?? entry), ...changed.filter(({ seq }) => seq > last)];
}
