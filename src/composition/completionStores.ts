import type { CountStore } from '../completion/statistics/completionStatistics';
import type { VerdictStore } from '../completion/models/completionModels';
import { CompletionRepository } from '../services/database/completions/completionRepository';
import type { StorageGate } from '../services/database/storageGate';
import type { WindowStore } from '../services/model/context/contextWindows';
import type { OpenedStorage } from './openedStorage';

/** Holds what suggestions remember, in the database; nothing is remembered while that is not open. */
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

export function completionStores(storage: Pick<StorageGate<OpenedStorage>, 'settled'>): CompletionStores {
  const opened = () => storage.settled(1000);
  const repository = async () => {
    const found = await opened();
    return found && new CompletionRepository(found.connection);
  };
  return {
    windows: {
      windowOf: async (digest) => (await opened())?.models.windowOf(digest),
      keepWindow: async (digest, window) => (await opened())?.models.keepWindow(digest, window),
    },
    verdicts: {
      verdictOf: async (key) => (await repository())?.verdictOf(key),
      keepVerdict: async (key, verdict) => (await repository())?.keepVerdict(key, verdict),
    },
    counts: {
      add: async (day, model, counts) => (await repository())?.addCounts(day, model, { ...counts }),
      since: async (day) => (await (await repository())?.countsSince(day)) ?? [],
    },
  };
}
