import type { Entry, EntryData } from '../../../src/protocol/entries';

/** A log of consecutive entries, each with a new revision. */
export class TestLog {
  readonly entries: Entry[] = [];
  revision = 0;

  constructor(readonly sessionId = 's1') {}

  add<T extends Entry['type']>(type: T, content: string, data: EntryData<T>, isOpen = false): Entry {
    const seq = this.entries.length + 1;
    this.revision += 1;
    const entry = {
      id: `e${seq}`,
      sessionId: this.sessionId,
      seq,
      revision: this.revision,
      timestamp: 1000 * seq,
      model: 'tiny:1b',
      content,
      isOpen,
      checkpointId: null,
      planItemId: null,
      type,
      data,
    } as unknown as Entry;
    this.entries.push(entry);
    return entry;
  }

  /** Changes an entry as the host does: a new value with a new revision. */
  change(seq: number, change: Partial<Entry>): Entry {
    this.revision += 1;
    const entry = { ...this.entries[seq - 1], ...change, revision: this.revision } as Entry;
    this.entries[seq - 1] = entry;
    return entry;
  }

  user(text: string, mode = 'agent'): Entry {
    return this.add('user_input', text, { mode, attachments: [] });
  }

  /** Returns whole turns before the entry `before`, about `limit` entries, paged as the host does. */
  page(before: number, limit: number): { entries: Entry[]; hasEarlier: boolean } {
    const earlier = this.entries.filter(({ seq }) => seq < before);
    let first = 1;
    let rewoundFrom = Infinity;
    for (const [index, entry] of [...earlier].reverse().entries()) {
      if (first > 1 && index >= limit) break;
      if (entry.type === 'rewind') rewoundFrom = Math.min(rewoundFrom, entry.data.fromSeq);
      if (entry.type === 'user_input' && entry.seq < rewoundFrom) first = entry.seq;
    }
    return { entries: earlier.filter(({ seq }) => seq >= first), hasEarlier: first > 1 };
  }

  call(callId: string, name: string, input: Record<string, unknown>): Entry {
    return this.add('tool_call', '', { callId, name, input });
  }
}
