import type { ChosenWindow, WindowStore } from './contextWindows';

interface OwnWindows {
  keepOwnWindow(digest: string, tokens: number | null): Promise<void>;
}

/** Stores context windows in the database. While the database is not open, context windows are chosen but not stored. */
export class StoredWindows implements WindowStore {
  constructor(
    private readonly storage: {
      settled(withinMs: number): Promise<{ models: WindowStore } | undefined>;
      open(): Promise<{ models: OwnWindows }>;
    },
  ) {}

  async readWindow(digest: string): Promise<ChosenWindow | undefined> {
    return (await this.storage.settled(1000))?.models.readWindow(digest);
  }

  async keepWindow(digest: string, window: ChosenWindow): Promise<void> {
    await (await this.storage.settled(1000))?.models.keepWindow(digest, window);
  }

  async readOwnWindow(digest: string): Promise<number | undefined> {
    return (await this.storage.settled(1000))?.models.readOwnWindow(digest);
  }

  /** Stores the context window that the user chose. Null restores the value from the settings. Rejects if it cannot be stored. */
  async keepOwnWindow(digest: string, tokens: number | null): Promise<void> {
    await (await this.storage.open()).models.keepOwnWindow(digest, tokens);
  }
}
