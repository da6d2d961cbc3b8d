import type { Entry, EntryInput } from '../../protocol/entries';
import type { GrowingEntry, GrowingInput, LogStore } from './ports';

/** In-memory log for work outside a conversation, such as a subagent. Nothing is stored. */
export class MemoryLog implements LogStore {
  private readonly all: Entry[] = [];

  /** `onEntry` receives each complete entry. */
  constructor(private readonly onEntry: (entry: Entry) => Promise<void> = () => Promise.resolve()) {}

  get entries(): readonly Entry[] {
    return this.all;
  }

  async append(sessionId: string, input: EntryInput): Promise<Entry> {
    const entry = this.add(sessionId, input);
    await this.onEntry(entry);
    return entry;
  }

  async appendAll(sessionId: string, inputs: readonly EntryInput[]): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const input of inputs) entries.push(await this.append(sessionId, input));
    return entries;
  }

  open(sessionId: string, input: GrowingInput): Promise<GrowingEntry> {
    const entry = this.add(sessionId, input);
    return Promise.resolve({
      entry,
      write: (text) => void (entry.content += text),
      close: async (data) => {
        Object.assign(entry, { data });
        await this.onEntry(entry);
        return entry;
      },
    });
  }

  read(): Promise<{ entries: Entry[]; revision: number }> {
    return Promise.resolve({ entries: [...this.all], revision: this.all.length });
  }

  private add(sessionId: string, input: EntryInput): Entry {
    const seq = this.all.length + 1;
    const base = { id: `memory_${seq}`, sessionId, seq, revision: seq, timestamp: seq, content: '', isOpen: false };
    const entry: Entry = { ...base, model: null, checkpointId: null, planItemId: null, ...input };
    this.all.push(entry);
    return entry;
  }
}
