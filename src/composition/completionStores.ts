import type { CountStore } from '../completion/statistics/completionStatistics';
import type { VerdictStore } from '../completion/models/completionModels';
import { CompletionRepository } from '../services/database/completions/completionRepository';
import type { StorageGate } from '../services/database/storageGate';
import type { WindowStore } from '../services/model/context/contextWindows';
import { StoredWindows } from '../services/model/context/storedWindows';
import type { OpenedStorage } from './openedStorage';

/** Stores for inline suggestions. They store nothing while the database is closed. */
export interface CompletionStores {
  windows: WindowStore;
  verdicts: VerdictStore;
  counts: CountStore & { since: (day: string) => Promise<CountedDay[]> };
}

export interface CountedDay {
  day: string;
  model: string;
  counts: Record<string, unknown>;
}

export function completionStores(storage: Pick<StorageGate<OpenedStorage>, 'settled' | 'open'>): CompletionStores {
  const opened = () => storage.settled(1000);
  const repository = async () => {
    const found = await opened();
    return found && new CompletionRepository(found.connection);
  };
  return {
    windows: new StoredWindows(storage),
    verdicts: {
      readVerdict: async (key) => (await repository())?.readVerdict(key),
      keepVerdict: async (key, verdict) => (await repository())?.keepVerdict(key, verdict),
    },
    counts: {
      add: async (day, model, counts) => (await repository())?.addCounts(day, model, { ...counts }),
      since: async (day) => (await (await repository())?.countsSince(day)) ?? [],
    },
  };
}
