import type { Entry, EntryData, EntryInput } from '../../protocol/entries';
import { currentStep } from '../../protocol/plan';
import { planInProgress } from '../../protocol/planProgress';
import type { GrowingInput, LogStore } from './ports';

/** Entry of this run that is still being written. `close` adds it to the entries of the run. */
export interface OpenText {
  write(text: string): void;
  close(data: EntryData<'thinking' | 'assistant_output'>): Promise<void>;
}

/** Log of a session during one run. It is read once and then updated with each entry that the run writes. */
export class RunLog {
  private failed: Error | undefined;

  private constructor(
    private readonly store: LogStore,
    private readonly sessionId: string,
    private model: string | null,
    private readonly all: Entry[],
  ) {}

  static async load(store: LogStore, sessionId: string, model: string | null): Promise<RunLog> {
    const { entries } = await store.read(sessionId, 0);
    return new RunLog(store, sessionId, model, [...entries]);
  }

  /** Entries by ascending `seq`. */
  get entries(): readonly Entry[] {
    return this.all;
  }

  /** First error while storing an entry. The run must then stop, because later entries would be missing from the history. */
  get failure(): Error | undefined {
    return this.failed;
  }

  /** Sets the model of the next entries. */
  useModel(model: string): void {
    this.model = model;
  }

  /** Reads entries that were written outside this run. */
  async readNew(): Promise<void> {
    const seen = new Set(this.all.map(({ seq }) => seq));
    const since = this.all.reduce((latest, { revision }) => Math.max(latest, revision), 0);
    const { entries } = await this.store.read(this.sessionId, since);
    this.all.push(...entries.filter(({ seq }) => !seen.has(seq)));
    this.all.sort((a, b) => a.seq - b.seq);
  }

  async append(input: EntryInput): Promise<Entry> {
    const entry = await this.guarded(() => this.store.append(this.sessionId, this.withStep(this.withModel(input))));
    this.all.push(entry);
    return entry;
  }

  async open(type: GrowingInput['type']): Promise<OpenText> {
    const growing = await this.guarded(() =>
      this.store.open(this.sessionId, this.withStep({ type, data: {}, model: this.model })),
    );
    return {
      write: (text) => growing.write(text),
      close: async (data) => {
        this.all.push(await this.guarded(() => growing.close(data)));
      },
    };
  }

  private withModel(input: EntryInput): EntryInput {
    return input.type === 'tool_call' && input.model === undefined ? { ...input, model: this.model } : input;
  }

  /** Adds the current plan step to an entry. */
  private withStep<T extends EntryInput>(input: T): T {
    const plan = planInProgress(this.all);
    const step = plan && currentStep(plan);
    return step ? { ...input, planItemId: step.id } : input;
  }

  private async guarded<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      this.failed ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}

/** Returns whether this notice has been shown since the user's last message. */
export function hasNotice(code: string, log: RunLog): boolean {
  const last = log.entries.findLast(
    (entry) => entry.type === 'user_input' || (entry.type === 'system_message' && entry.data.code === code),
  );
  return last?.type === 'system_message';
}
