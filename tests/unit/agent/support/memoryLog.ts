import type { GrowingEntry, GrowingInput, LogStore } from '../../../../src/agent/kernel/ports';
import type { Entry, EntryInput } from '../../../../src/protocol/entries';

/** In-memory log that can be made to fail. */
export class MemoryLog implements LogStore {
  readonly entries: Entry[] = [];
  failure: Error | null = null;
  private readonly listeners = new Set<(entry: Entry) => void>();

  async append(sessionId: string, input: EntryInput): Promise<Entry> {
    if (this.failure) throw this.failure;
    const seq = this.entries.length + 1;
    const base = { id: `e${seq}`, sessionId, seq, revision: seq, timestamp: seq, content: '', isOpen: false };
    const entry = { ...base, model: null, checkpointId: null, planItemId: null, ...input };
    this.entries.push(entry);
    for (const listener of [...this.listeners]) listener(entry);
    return entry;
  }

  async appendAll(sessionId: string, inputs: readonly EntryInput[]): Promise<Entry[]> {
    return Promise.all(inputs.map((input) => this.append(sessionId, input)));
  }

  async open(sessionId: string, input: GrowingInput): Promise<GrowingEntry> {
    const entry = await this.append(sessionId, input);
    return {
      entry,
      write: (text) => void (entry.content += text),
      close: async (data) => {
        if (this.failure) throw this.failure;
        return Object.assign(entry, { data });
      },
    };
  }

  async read(): Promise<{ entries: Entry[]; revision: number }> {
    return { entries: [...this.entries], revision: this.entries.length };
  }

  /** Resolves with the next entry of that type. */
  next(type: Entry['type']): Promise<Entry> {
    return new Promise((resolve) => {
      const listener = (entry: Entry): void => {
        if (entry.type !== type) return;
        this.listeners.delete(listener);
        resolve(entry);
      };
      this.listeners.add(listener);
    });
  }
}
